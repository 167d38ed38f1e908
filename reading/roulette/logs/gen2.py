exec(open("gen.py").read().split("logs={")[0])
P=[A,SP,CL,*res(17,"black"),f"dealer pay {W} amount=35000"]
logs={
"22a-ball-already-in-the-winning-compartment":[*P,SP,"dealer hang_up","dealer no_spin anticipated=false","dealer remove_ball gone=false","dealer rest number=17",SP,CL,*res(18,"red"),"dealer end_round"],
"23a-ball-changed-in-a-spin-and-paid":[A,SP,CL,"operator change_ball",*res(17,"black"),f"dealer pay {W} amount=35000","dealer end_round"],
"23b-same-by-interfere":[A,SP,CL,"operator interfere thing=ball",*res(17,"black"),f"dealer pay {W} amount=35000","dealer end_round"],
"24a-remarked-open-wager-no-fault-collected":["operator mark_group group=N1 a=1 b=2 c=3","player wager player=ann kind=neighbour spot=1-1 amount=100",SP,CL,"operator mark_group group=N1 a=4 b=5 c=6",*res(1,"red"),"dealer collect player=ann kind=neighbour spot=1-1 amount=100","dealer end_round"],
"25a-second-ball-same-round-paid-wager":[*P,SP,CL,*res(18,"red"),"dealer end_round"],
"26a-no-spin-after-rest-same-way":["player wager player=ann kind=straight_up spot=17-17 amount=1000","dealer spin wheel=clockwise ball=clockwise","dealer rest number=17","supervisor no_spin anticipated=false",SP,CL,*res(18,"red"),f"dealer collect {W} amount=1000","dealer end_round"],
"27a-supervisor-anticipates-then-dealer-removes-and-collects-later":[A,SP,CL,"supervisor no_spin anticipated=true","dealer remove_ball gone=true",SP,CL,*res(18,"red"),f"dealer collect {W} amount=1000","dealer end_round"],
}
for k,v in logs.items():
    open(k+".transcript.yaml","w").write(H+"".join("- "+e+"\n" for e in v)+T)

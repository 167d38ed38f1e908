H="ruleset: nz/roulette-1998\nabout: reader\nevents:\n"
T="expect:\n  faults: []\ncurrency: NZD\noptions: {wheel: usual, additional_areas: true}\n"
SP="dealer spin wheel=clockwise ball=anticlockwise"; CL="dealer close_bets bell=true"
def res(n,c): return [f"dealer rest number={n}",f"dealer announce number={n} colour={c}",f"dealer place_dolly number={n}"]
A="player wager player=ann kind=straight_up spot=17-17 amount=1000"
W="player=ann kind=straight_up spot=17-17"
logs={
"01a-winner-made-void-dealer-pays":[A,SP,CL,*res(17,"black"),f"operator modify {W} outcome=void",f"dealer pay {W} amount=35000","dealer end_round"],
"01b-winner-made-void-dealer-gives-back":[A,SP,CL,*res(17,"black"),f"operator modify {W} outcome=void",f"dealer give_back {W}","dealer end_round"],
"01c-before-result-void-then-wins":[A,SP,CL,f"operator modify {W} outcome=void",*res(17,"black"),f"dealer give_back {W}","dealer end_round"],
"01d-before-result-void-before-spin-then-loses":[A,f"operator modify {W} outcome=win",SP,CL,*res(18,"red"),f"dealer pay {W} amount=35000","dealer end_round"],
"02a-supervisor-anticipates-ball-rests-dealer-pays":[A,SP,CL,"supervisor no_spin anticipated=true",*res(17,"black"),f"dealer pay {W} amount=35000","dealer end_round"],
"03a-group-remarked-after-rest":["operator mark_group group=N1 a=1 b=2 c=3","player wager player=ann kind=neighbour spot=1-1 amount=100",SP,CL,*res(1,"red"),"operator mark_group group=N1 a=4 b=5 c=6","dealer pay player=ann kind=neighbour spot=1-1 amount=1100","dealer end_round"],
"03b-group-remarked-after-rest-collected":["operator mark_group group=N1 a=1 b=2 c=3","player wager player=ann kind=neighbour spot=1-1 amount=100",SP,CL,*res(1,"red"),"operator mark_group group=N1 a=4 b=5 c=6","dealer collect player=ann kind=neighbour spot=1-1 amount=100","dealer end_round"],
"03c-losers-first-refuted":["operator mark_group group=N1 a=1 b=2 c=3","player wager player=ann kind=neighbour spot=1-1 amount=100","player wager player=ann kind=straight_up spot=1-1 amount=100",SP,CL,*res(1,"red"),"dealer pay player=ann kind=straight_up spot=1-1 amount=3500","operator mark_group group=N1 a=4 b=5 c=6"],
"03d-payout-bound-refuted":["operator mark_group group=N1 a=1 b=2 c=3","player wager player=ann kind=neighbour spot=1-1 amount=1000",SP,CL,*res(1,"red"),"operator mark_group group=N1 a=4 b=4 c=6","player alter player=ann kind=neighbour spot=1-1 stake=1","operator mark_group group=N1 a=1 b=2 c=3","dealer pay player=ann kind=neighbour spot=1-1 amount=11000",SP,CL,*res(2,"black"),"dealer end_round"],
"04a-ball-found-after-respin-never-examined":[A,SP,CL,"dealer ball_out","dealer no_spin anticipated=false","operator change_ball",SP,CL,"dealer ball_found",*res(17,"black"),f"dealer pay {W} amount=35000","dealer end_round"],
"04b-ball-found-next-round":[A,SP,CL,"dealer ball_out","dealer no_spin anticipated=false","operator change_ball",SP,CL,*res(17,"black"),f"dealer pay {W} amount=35000","dealer end_round"],
"05a-no-spin-announced-after-rest":[A,SP,CL,"dealer foreign_object","dealer remove_ball gone=false","dealer rest number=18","dealer no_spin anticipated=false",SP,CL,*res(17,"black"),f"dealer pay {W} amount=35000","dealer end_round"],
"06a-object-in-wheel-before-spin":[A,"dealer foreign_object",SP,CL,*res(18,"red"),f"dealer collect {W} amount=1000","dealer end_round"],
"07a-call-repeated-without-bell":[SP,CL,"dealer close_bets bell=false",*res(18,"red"),"dealer end_round"],
"07b-call-without-bell-in-void-spin":[SP,"dealer hang_up","dealer close_bets bell=false","dealer no_spin anticipated=false","dealer remove_ball gone=true",SP,CL,*res(18,"red"),"dealer end_round"],
"08a-no-call-red-winner-taken":["player wager player=ann kind=red spot=1-36 amount=100",SP,*res(18,"red"),"player withdraw player=ann kind=red spot=1-36"],
"08b-no-call-straight-winner-taken":[A,SP,*res(17,"black"),f"player withdraw {W}"],
"09a-modify-after-collect":[A,SP,CL,*res(18,"red"),f"dealer collect {W} amount=1000",f"operator modify {W} outcome=win"],
"09b-split-meant-as-straight-up":["dealer wager player=ann kind=split spot=17-20 amount=1000",SP,CL,*res(17,"black"),"operator modify player=ann kind=split spot=17-20 outcome=win","dealer pay player=ann kind=split spot=17-20 amount=35000","dealer end_round"],
"10a-spin-without-a-wheel":["dealer spin","dealer close_bets bell=true",*res(17,"black"),"dealer end_round"],
"11a-remove-then-announce":[SP,CL,"dealer remove_ball gone=true","dealer no_spin anticipated=true",SP,CL,*res(17,"black"),"dealer end_round"],
"11b-remove-supervisor":[SP,CL,"dealer hang_up","supervisor no_spin anticipated=false","supervisor remove_ball gone=true",SP,CL,*res(17,"black"),"dealer end_round"],
"12a-group-012-on-0":["operator mark_group group=N1 a=0 b=1 c=2","player wager player=ann kind=neighbour spot=1-1 amount=100",SP,CL,*res(0,"green"),"dealer pay player=ann kind=neighbour spot=1-1 amount=1100","dealer end_round"],
"13a-anticipated-and-out-of-time":[A,SP,CL,"dealer no_spin anticipated=false",*res(17,"black"),f"dealer pay {W} amount=35000","dealer end_round"],
"14a-void-spin-bets-laid-before-second-call":[A,SP,CL,"dealer hang_up","dealer no_spin anticipated=false","dealer remove_ball gone=true",f"player withdraw {W}",SP,CL,*res(17,"black"),"dealer end_round"],
"15a-dolly-before-announcement":[SP,CL,"dealer rest number=17","dealer place_dolly number=17","dealer announce number=17 colour=black","dealer end_round"],
"16a-losing-taken-then-not-collected":[A,SP,CL,"dealer rest number=18",f"player withdraw {W}","dealer announce number=18 colour=red","dealer place_dolly number=18","dealer end_round"],
"17a-assist-after-call":[A,SP,CL,"dealer wager player=ann kind=red spot=1-36 amount=100",*res(18,"red"),f"dealer collect {W} amount=1000","dealer end_round"],
"18a-cross-rest-short-after-rest":[A,SP,CL,"dealer rest number=17","dealer short_spin","dealer announce number=17 colour=black","dealer place_dolly number=17",f"dealer pay {W} amount=35000","dealer end_round"],
"19a-no-place-modified-after-dealer-misplaced":["dealer wager player=ann kind=corner spot=1-3 amount=1000",SP,CL,*res(17,"black"),"operator modify player=ann kind=corner spot=1-3 outcome=void","dealer give_back player=ann kind=corner spot=1-3","dealer end_round"],
"20a-change-ball-before-first-spin":["operator change_ball",SP,CL,*res(17,"black"),"dealer end_round"],
"21a-void-no-call-in-either":[SP,"dealer foreign_object","dealer no_spin anticipated=false","dealer remove_ball gone=true",A,SP,CL,*res(17,"black"),f"dealer pay {W} amount=35000","dealer end_round"],
}
for k,v in logs.items():
    open(k+".transcript.yaml","w").write(H+"".join("- "+e+"\n" for e in v)+T)

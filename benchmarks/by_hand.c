/* Settlement and drawing of New Zealand's blackjack of 1998 by hand: by_hand.py, which names the rules, in C, as the
   limit for the kernel. Rows are columns of 64-bit numbers; the result is how many events it finds at fault. */
#include <stdint.h>
#include <string.h>

enum { WAGER, DEAL, DRAW, STAND, DOUBLE, SPLIT, INSURE, ASK, PAY, COLLECT, GIVE_BACK, REMOVE, END, OTHER };
enum { INITIAL, ADDED, SECOND, INSURANCE, SEVENS }; /* a wager's kind: those before insurance lie on a box */
enum { WIN, LOSE, STAND_OFF };
enum { ACE = 0, SEVEN = 6, TEN = 9 };
enum { SETTLED, OPEN, CHARGED }; /* charged: open, and its being late has been found */

typedef struct {
  int64_t n, hard, aces, rank[3], suit[3]; /* the first three cards; further ones only count */
  int64_t pair, doubled, stood, cleared, staked; /* pair: a rank plus 1 */
} Hand;
typedef struct { int64_t player, place, number, kind, stake, state; } Wager;

static Hand hands[8][5];
static Hand *const dealer = &hands[0][1], *awaiting;
static int64_t used[8], early[8][8], running, begun, insured, stopped, over21, asks;
static int64_t boxes, served; /* with an initial wager, and those of them with two cards */
static Wager wagers[64];
static int64_t laid;

static int64_t total(const Hand *h) { return h->aces && h->hard <= 11 ? h->hard + 10 : h->hard; }

static void take(Hand *h, int64_t rank, int64_t suit) {
  if (h->n < 3) { h->rank[h->n] = rank; h->suit[h->n] = suit; }
  h->n++; h->hard += rank < TEN ? rank + 1 : 10; h->aces += rank == ACE;
}

static int64_t blackjack(const Hand *h) {
  if (h->n != 2 || total(h) != 21) return 0;
  return h->pair == 0 || (h->pair != ACE + 1 && h->pair < TEN + 1); /* 12.4(c) */
}

static Hand *hand_of(const Wager *w) { return &hands[w->place][w->number]; }

static Wager *wager(int64_t p, int64_t b, int64_t n, int64_t k) {
  for (Wager *w = wagers; w < wagers + laid; w++)
    if (w->player == p && w->place == b && w->number == n && w->kind == k) return w;
  wagers[laid] = (Wager){p, b, n, k, 0, SETTLED};
  return &wagers[laid++];
}

static void stake(Wager *w, int64_t amount) { w->stake += amount; w->state = OPEN; }
static int64_t staked(int64_t p, int64_t b) {
  for (const Wager *w = wagers; w < wagers + laid; w++)
    if (w->player == p && w->place == b && w->kind == INITIAL && w->stake > 0) return 1;
  return 0;
}
static int64_t ace_up(void) { return dealer->n > 0 && dealer->rank[0] == ACE; }

static int64_t asked(int64_t p, int64_t b) { return asks && early[p][b] && ace_up() && blackjack(&hands[b][1]); }
static int64_t settled_early(const Wager *w) {
  return w->kind == INITIAL && w->number == 1 && asked(w->player, w->place);
}


static int64_t natural_at_once(const Hand *h) { /* 10.1 */
  return dealer->n > 0 && dealer->rank[0] > ACE && dealer->rank[0] < TEN && blackjack(h);
}

static int64_t against(const Wager *w, int64_t theirs, int64_t dealers) {
  const Hand *h = hand_of(w);
  int64_t mine = total(h), natural;
  if (settled_early(w)) return WIN;                      /* 10.3(a) */
  if (mine > 21) return LOSE;                            /* 5.1(f), 13.2 */
  if (dealers && w->kind != INITIAL) return STAND_OFF;   /* 11.5, 12.6 */
  if (natural_at_once(h)) return WIN;                    /* 10.1 */
  if (theirs > 21) return WIN;                           /* 5.1(a) */
  natural = blackjack(h);
  if (mine == theirs) return natural != dealers ? (natural ? WIN : LOSE) : STAND_OFF; /* 5.1(c), (d), (e) */
  return mine > theirs ? WIN : LOSE;                     /* 5.1(b), (g) */
}

static int64_t moot(void) { /* 13.4 */
  for (const Wager *w = wagers; w < wagers + laid; w++) {
    if (w->kind >= INSURANCE || !w->stake || !hand_of(w)->n || total(hand_of(w)) > 21) continue;
    int64_t over = against(w, 22, 0);
    for (int64_t end = 17; end < 27; end++) if (against(w, end, 0) != over) return 0;
  }
  return 1;
}

static int64_t showdown(void) { return dealer->n >= 2 && (total(dealer) >= 17 || stopped || moot()); }

static int64_t rendered(const Hand *h) { /* 15.6 */
  return h->n && (h->rank[0] != SEVEN || (h->n >= 2 && h->rank[1] != SEVEN) || h->n >= 3 || h->pair || h->stood);
}

static int64_t decided(const Wager *w) { /* 9.1, 13.3, 15.6 */
  const Hand *h = hand_of(w);
  if (w->kind == INSURANCE) return dealer->n >= 2 || asked(w->player, w->place);
  if (w->kind == SEVENS) return rendered(h);
  return total(h) > 21 || natural_at_once(h) || settled_early(w) || showdown();
}

static int64_t outcome(const Wager *w) {
  if (w->kind == SEVENS) return hand_of(w)->rank[0] == SEVEN ? WIN : LOSE; /* 15.4, 15.5 */
  if (w->kind != INSURANCE) return against(w, total(dealer), blackjack(dealer));
  if (asked(w->player, w->place)) return STAND_OFF;                        /* 10.3 */
  return dealer->rank[1] >= TEN ? WIN : LOSE;                              /* 9.1 */
}

static int64_t twice_odds(const Wager *w) {
  const Hand *h = hand_of(w);
  if (w->kind == INSURANCE) return 4; /* 9.4 */
  if (w->kind == INITIAL) return blackjack(h) && !settled_early(w) ? 3 : 2;
  if (w->kind != SEVENS) return 2;
  if (h->pair) return h->suit[0] == hands[w->place][2].suit[0] ? 200 : 100; /* 15.5 */
  if (h->n < 2 || h->rank[1] != SEVEN) return 6;                            /* 15.4(a) */
  int64_t alike = h->suit[0] == h->suit[1];
  if (h->n < 3 || h->rank[2] != SEVEN) return alike ? 200 : 100;            /* 15.4(b), (c) */
  return alike && h->suit[0] == h->suit[2] ? 10000 : 1000;                  /* 15.4(d), (e) */
}

static int64_t insurance_late(void) { /* 9.5 */
  int64_t found = 0;
  if (!insured || dealer->n < 2) return 0;
  for (Wager *w = wagers; w < wagers + laid; w++)
    if (w->kind == INSURANCE && w->state == OPEN && outcome(w) == LOSE) { w->state = CHARGED; found = 1; }
  return found;
}

enum { SOME = 1, NOT_ALL = 2 };
static int64_t asking(const Hand *h) { /* which of the players on a hand have asked to be paid at once */
  int64_t who = 0;
  for (const Wager *w = wagers; w < wagers + laid; w++)
    if (w->kind == INITIAL && hand_of(w) == h) who |= settled_early(w) ? SOME : NOT_ALL;
  return who;
}

static int64_t unpaid(const Hand *h) {
  for (const Wager *w = wagers; w < wagers + laid; w++)
    if (w->kind == INITIAL && w->state && hand_of(w) == h) return 1;
  return 0;
}

static int64_t late(void) { /* what is owed before the next card: 9.5, 10.1, 10.3, 13.2, 15.6 */
  int64_t found = insurance_late(), over = begun || served == boxes; /* the initial deal */
  if (!over && !over21 && !asks) return found;
  for (Wager *w = wagers; w < wagers + laid; w++) {
    Hand *h = hand_of(w);
    if (w->kind == SEVENS) {
      if (w->state == OPEN && over && rendered(h)) { w->state = CHARGED; found = 1; }
    } else if (w->kind != INSURANCE) {
      int64_t now = settled_early(w), gone = total(h) > 21 || (w->kind == INITIAL && over && natural_at_once(h));
      if (w->state == OPEN && (now || gone)) { w->state = CHARGED; found = 1; }
      if (!h->cleared && (gone || (now && asking(h) == SOME && !unpaid(h)))) { h->cleared = 1; found = 1; }
    }
  }
  return found;
}

static int64_t unsettled(void) { /* by the end of the round: 5.1, 5.4, 9.4, 10.3, 11.4, 11.5, 12.5, 12.6 */
  int64_t shown = showdown();
  for (const Wager *w = wagers; w < wagers + laid; w++)
    if (w->state == OPEN && (w->kind < INSURANCE ? shown : w->kind == INSURANCE && decided(w))) return 1;
  return 0;
}

static int64_t settles(Wager *w, int64_t as, int64_t amount) {
  int64_t wrong = (as == WIN || w->kind != INSURANCE) && insurance_late();
  if (!decided(w)) {
    wrong = 1;
    if (w->kind < INSURANCE) stopped = 1; /* the rest is judged by the hand on which he stopped (13.3) */
  }
  w->state = SETTLED;
  return wrong || outcome(w) != as || (as == WIN && 2 * amount != w->stake * twice_odds(w));
}

/* columns: event, player, place, number, kind, rank, suit, amount */
int64_t faults(int64_t rows, const int64_t *event, const int64_t *player, const int64_t *place, const int64_t *number,
               const int64_t *kind, const int64_t *rank, const int64_t *suit, const int64_t *amount) {
  int64_t found = 0;
  for (int64_t i = 0; i < rows; i++) {
    int64_t p = player[i], b = place[i], n = number[i], k = kind[i];
    Hand *h = &hands[b & 7][n & 7];
    switch (event[i]) {
      case WAGER:
        found += k == INITIAL && running; /* 5.1 */
        stake(wager(p, b, 1, k), amount[i]);
        if (k == INITIAL && !h->staked) { h->staked = 1; boxes++; served += h->n >= 2; }
        break;
      case DEAL: {
        int64_t wrong = late();
        if (b == 0) wrong |= h->n >= 2 && (total(h) >= 17 || moot());                  /* 13.3, 13.4 */
        else wrong |= (h->doubled && awaiting != h) | (h->pair == ACE + 1 && h->n >= 2); /* 11.3, 12.4(b), 13.1(c) */
        found += wrong;
        if (n > used[b]) used[b] = n;
        take(h, rank[i], suit[i]);
        served += h->staked && h->n == 2;
        over21 |= b && total(h) > 21;
        awaiting = NULL; running = 1; stopped = 0;
        break;
      }
      case DRAW: /* 13.1(a), 13.1(b), 12.4(b) */
        found += total(h) >= 21 || h->doubled || h->pair == ACE + 1 || !staked(p, b);
        awaiting = h; begun = 1;
        break;
      case STAND: /* 13.1(d) */
        found += total(h) <= 11 && !h->doubled;
        h->stood = 1; begun = 1;
        break;
      case DOUBLE: /* 13.1(a) */
        found += total(h) == 21;
        if (!h->doubled) awaiting = h;
        h->doubled = 1; begun = 1;
        stake(wager(p, b, n, ADDED), amount[i]);
        break;
      case SPLIT: { /* 12.4(b) */
        Hand *other = &hands[b][++used[b]];
        int64_t first = h->rank[0], held = h->suit[0];
        found += h->pair == ACE + 1;
        take(other, h->rank[1], h->suit[1]);
        h->n = h->hard = h->aces = 0;
        take(h, first, held);
        h->pair = other->pair = first + 1;
        stake(wager(p, b, used[b], SECOND), amount[i]);
        begun = 1;
        break;
      }
      case INSURE: /* 9.1 */
        found += !ace_up() || !staked(p, b);
        stake(wager(p, b, 1, INSURANCE), amount[i]);
        insured = 1;
        break;
      case ASK: /* 10.3(a) */
        found += !ace_up() || dealer->n != 1 || !blackjack(&hands[b][1]) || !staked(p, b);
        early[p][b] |= dealer->n == 1;
        asks = 1;
        break;
      case PAY: found += settles(wager(p, b, n, k), WIN, amount[i]); break;
      case COLLECT: found += settles(wager(p, b, n, k), LOSE, 0); break;
      case GIVE_BACK: found += settles(wager(p, b, n, k), STAND_OFF, 0); break;
      case REMOVE: /* 9.5, 10.3(b) */
        found += insurance_late() | (asks && asking(h) == (SOME | NOT_ALL) && !showdown());
        h->cleared = 1;
        break;
      case END:
        found += late() | unsettled() | (dealer->n >= 2 && total(dealer) < 17 && !stopped && !moot());
        memset(hands, 0, sizeof hands); memset(used, 0, sizeof used); memset(early, 0, sizeof early);
        laid = running = begun = insured = stopped = over21 = asks = boxes = served = 0; awaiting = NULL;
        break;
      default: break;
    }
  }
  return found;
}

/* The settlement rules of New Zealand's blackjack of 1998 and the dealer's drawing by hand: by_hand.py in C, as the
   limit for the kernel. Rows are columns of 64-bit numbers; the result is how many events it finds at fault. */
#include <stdint.h>
#include <string.h>

enum { WAGER, DEAL, DOUBLE, SPLIT, ASK, PAY, COLLECT, GIVE_BACK, END, OTHER };
enum { NOTHING, WIN, LOSE, STAND_OFF };

typedef struct { int64_t n, rank[24], pair; } Hand; /* pair: a rank plus 1 */
static Hand hands[8][5];
static int64_t used[8];
static int64_t stakes[64][3], keys[64], laid; /* key: player, place, number, kind */
static int64_t early[8][8];

static int64_t pips(int64_t rank) { return rank < 9 ? rank + 1 : 10; }

static int64_t total(const Hand *h) {
  int64_t hard = 0, ace = 0;
  for (int64_t i = 0; i < h->n; i++) { hard += pips(h->rank[i]); ace |= h->rank[i] == 0; }
  return ace && hard <= 11 ? hard + 10 : hard;
}

static int64_t blackjack(const Hand *h) {
  if (h->n != 2 || total(h) != 21) return 0;
  int64_t pair = h->pair - 1; /* 12.4(c): an ace, a ten, a court card */
  return h->pair == 0 || (pair != 0 && pair < 9);
}

static int64_t key_of(int64_t p, int64_t b, int64_t n, int64_t k) { return ((p * 8 + b) * 8 + n) * 4 + k; }

static int64_t *stake_of(int64_t key) {
  for (int64_t i = 0; i < laid; i++) if (keys[i] == key) return stakes[i];
  keys[laid] = key; stakes[laid][0] = 0;
  return stakes[laid++];
}

static int64_t asked(int64_t p, int64_t b, int64_t n, int64_t k) {
  const Hand *d = &hands[0][1];
  return k == 0 && n == 1 && early[p][b] && d->n > 0 && d->rank[0] == 0 && blackjack(&hands[b][n]);
}

static int64_t against(int64_t p, int64_t b, int64_t n, int64_t k, int64_t theirs, int64_t dealers) {
  const Hand *h = &hands[b][n], *d = &hands[0][1];
  int64_t mine = total(h), natural;
  if (asked(p, b, n, k)) return WIN;                     /* 10.3(a) */
  if (mine > 21) return LOSE;                            /* 5.1(f), 13.2 */
  if (dealers && k != 0) return STAND_OFF;               /* 11.5, 12.6 */
  natural = blackjack(h);
  if (natural && d->n > 0 && d->rank[0] >= 1 && d->rank[0] <= 8) return WIN; /* 10.1 */
  if (theirs > 21) return WIN;                           /* 5.1(a) */
  if (mine == theirs) return natural != dealers ? (natural ? WIN : LOSE) : STAND_OFF; /* 5.1(c), (d), (e) */
  return mine > theirs ? WIN : LOSE;                     /* 5.1(b), (g) */
}

static int64_t outcome(int64_t p, int64_t b, int64_t n, int64_t k) {
  return against(p, b, n, k, total(&hands[0][1]), blackjack(&hands[0][1]));
}

static int64_t twice_odds(int64_t p, int64_t b, int64_t n, int64_t k) {
  return k == 0 && !asked(p, b, n, k) && blackjack(&hands[b][n]) ? 3 : 2;
}

static int64_t moot(void) { /* 13.4 */
  for (int64_t i = 0; i < laid; i++) {
    int64_t k = keys[i] & 3, n = keys[i] >> 2 & 7, b = keys[i] >> 5 & 7, p = keys[i] >> 8;
    if (total(&hands[b][n]) > 21) continue;
    int64_t over = against(p, b, n, k, 22, 0);
    for (int64_t end = 17; end < 27; end++) if (against(p, b, n, k, end, 0) != over) return 0;
  }
  return 1;
}

/* columns: event, player, place, number, kind, rank, amount */
int64_t faults(int64_t rows, const int64_t *event, const int64_t *player, const int64_t *place, const int64_t *number,
               const int64_t *kind, const int64_t *rank, const int64_t *amount) {
  int64_t found = 0;
  for (int64_t i = 0; i < rows; i++) {
    int64_t p = player[i], b = place[i], n = number[i], k = kind[i];
    Hand *h = &hands[b & 7][n & 7], *d = &hands[0][1];
    switch (event[i]) {
      case WAGER: stake_of(key_of(p, b, 1, k))[0] = amount[i]; break;
      case DEAL:
        if (b == 0 && d->n >= 2 && (total(d) >= 17 || moot())) found++;
        if (n > used[b]) used[b] = n;
        if (h->n < 24) h->rank[h->n++] = rank[i];
        break;
      case DOUBLE: stake_of(key_of(p, b, n, 1))[0] = amount[i]; break;
      case SPLIT: {
        Hand *other = &hands[b][++used[b]];
        other->rank[other->n++] = h->rank[--h->n];
        h->pair = other->pair = h->rank[0] + 1;
        stake_of(key_of(p, b, used[b], 2))[0] = amount[i];
        break;
      }
      case ASK: early[p][b] = 1; break;
      case PAY:
        found += outcome(p, b, n, k) != WIN || 2 * amount[i] != stake_of(key_of(p, b, n, k))[0] * twice_odds(p, b, n, k);
        break;
      case COLLECT: found += outcome(p, b, n, k) != LOSE; break;
      case GIVE_BACK: found += outcome(p, b, n, k) != STAND_OFF; break;
      case END:
        found += d->n >= 2 && total(d) < 17 && !moot();
        memset(hands, 0, sizeof hands); memset(used, 0, sizeof used); memset(early, 0, sizeof early); laid = 0;
        break;
      default: break;
    }
  }
  return found;
}

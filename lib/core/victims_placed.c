/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which jobs would have to leave so that the asker can be placed.
 *
 * Node by node: what is the least that has to leave this one so that it takes
 * one part more?  The cheapest goes first, by the parts that are won with it
 * (a job on several nodes frees them all), until the asker fits.  Who is named
 * here is a proposal: the rules look at each of them as at anybody, and only
 * they take jobs.  That a job's team still borrows once the ones before it are
 * gone is asked here too, so that a proposal as a rule holds.
 *
 * Cheap is: other teams' jobs before those of the asker's own; low classes;
 * little unsaved work, where each job that is broken counts as some work more.
 */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/placing.h"
#include "core/victims_private.h"

/*
 * What it costs that a job is broken, beside its unsaved work: as if the asker
 * had worked for so many seconds in vain.  Were it nothing, any number of jobs
 * that have just begun would go for one; were it everything, one that has run
 * for days would go for two that have just begun.
 */
#define BROKEN_JOB 300 /* seconds */

struct price {
	uint64_t own;	 /* jobs of the asker's own team */
	uint64_t weight; /* of the highest class among them */
	double lost;	 /* seconds of the asker's work */
	uint64_t parts;	 /* of the asker that are won with it */
};

struct entry {
	struct price price;
	uint64_t as_of; /* takes when it was priced */
	bool priced;
	bool hopeless;
};

struct planner {
	struct gov_search *search;
	struct gov_placing *placing;
	struct gov_shortage all;	 /* as if all contended were short */
	struct entry *entry;		 /* per ground */
	const struct gov_place **job_at; /* jobs of the ground looked at */
	struct gov_record **job;	 /* likewise */
	size_t job_count, job_space;
	uint64_t takes;
};

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Per part that is won. */
static int compare_prices(const struct price *a, const struct price *b)
{
	double left = a->lost * (double) b->parts;
	double right = b->lost * (double) a->parts;
	int order = compare(a->own * b->parts, b->own * a->parts);

	if (!order)
		order = compare(a->weight, b->weight);
	return order ? order : (left > right) - (left < right);
}

static void add_price(struct price *to, const struct price *price)
{
	to->own += price->own;
	if (price->weight > to->weight)
		to->weight = price->weight;
	to->lost += price->lost;
}

/* ---- who could be asked to leave ---- */

/* Does its team, and every unit up to the asker's, still borrow? */
static bool still_borrows(const struct planner *planner,
			  const struct gov_record *job)
{
	const struct gov_search *search = planner->search;
	uint32_t team = job->kind->team;
	uint32_t common;

	if (team == search->kind->team)
		return true;
	common = gov_tree_common(search->books->tree, search->kind->team, team);
	return gov_search_used(search,
			       gov_search_over(search, &planner->all, team,
					       common),
			       job->kind);
}

static enum gov_rule rule_for(const struct gov_search *search, uint32_t team)
{
	uint32_t common = gov_tree_common(search->books->tree,
					  search->kind->team, team);

	if (search->books->policy->idle_sharing == GOV_FIRST_COME ||
	    gov_search_hosted_apart(search, common))
		return GOV_RULE_RECLAIM;
	return GOV_RULE_FAIR_SHARE;
}

static bool may_go(struct planner *planner, const struct gov_record *job)
{
	struct gov_search *search = planner->search;
	enum gov_rule rule;

	if (!job || job->taken || job->passed_over == search->round ||
	    (job->state != GOV_JOB_RUNNING && job->state != GOV_JOB_ADMITTED) ||
	    job->kind->team == GOV_NONE || gov_search_spent(search))
		return false;
	if (job->kind->team == search->kind->team)
		return gov_search_may_displace_own(search, job) &&
		       !gov_search_protected(search, job, GOV_RULE_WITHIN_TEAM);
	rule = rule_for(search, job->kind->team);
	return !search->own_only &&
	       (rule == GOV_RULE_RECLAIM || !search->owed_only) &&
	       gov_search_may_displace_other(search, job) &&
	       still_borrows(planner, job) &&
	       !gov_search_protected(search, job, rule);
}

/* ---- what one ground costs ---- */

struct by_use {
	const struct planner *planner;
	uint32_t tres; /* what is short there first */
};

/* Who frees most of what is short, then in the order of victims. */
static int compare_jobs(const void *a, const void *b, void *arg)
{
	const struct gov_place *x = *(const struct gov_place *const *) a;
	const struct gov_place *y = *(const struct gov_place *const *) b;
	const struct by_use *use = arg;
	const struct gov_store *store = &use->planner->search->books->store;
	gov_amount_t p = x->spot.amount[use->tres];
	gov_amount_t q = y->spot.amount[use->tres];
	const struct gov_record *j = gov_store_find(store, x->job->id);
	const struct gov_record *k = gov_store_find(store, y->job->id);
	uint32_t asker = use->planner->search->kind->team;

	if ((j->kind->team == asker) != (k->kind->team == asker))
		return j->kind->team == asker ? 1 : -1;
	if (p != q)
		return p > q ? -1 : 1;
	return gov_store_order_victims(store, j, k);
}

static int room_for_one(struct planner *planner)
{
	const struct gov_place **at;
	struct gov_record **job;
	size_t space = planner->job_space ? 2 * planner->job_space : 64;

	if (planner->job_count < planner->job_space)
		return 0;
	at = reallocarray(planner->job_at, space, sizeof(*at));
	if (at)
		planner->job_at = at;
	job = reallocarray(planner->job, space, sizeof(*job));
	if (job)
		planner->job = job;
	if (!at || !job) {
		planner->search->no_memory = true;
		return -1;
	}
	planner->job_space = space;
	return 0;
}

/* What is short on the ground first. */
static uint32_t short_of(const struct planner *planner,
			 const struct gov_ground *ground)
{
	const gov_amount_t *part = planner->placing->shape->part;
	const gov_amount_t *node = planner->placing->shape->node;
	uint32_t last = 0;

	for (uint32_t t = 0; t < GOV_PLACE_TRES; t++) {
		gov_amount_t rest = gov_amount_sub(ground->free[t], node[t]);

		if (ground->free[t] < node[t] ||
		    (part[t] && rest / part[t] <= (gov_amount_t) ground->parts))
			return t;
		if (part[t])
			last = t;
	}
	return last;
}

/* Those on the ground who could go, whose going helps first. */
static void collect(struct planner *planner, const struct gov_ground *ground)
{
	const struct gov_store *store = &planner->search->books->store;
	struct by_use use = { planner, short_of(planner, ground) };
	const struct gov_place *place = gov_places_on(planner->placing->places,
						      ground->node);

	planner->job_count = 0;
	for (; place; place = place->next) {
		const struct gov_record *job = gov_store_find(store,
							      place->job->id);

		if (!may_go(planner, job))
			continue;
		if (room_for_one(planner))
			return;
		planner->job_at[planner->job_count++] = place;
	}
	qsort_r(planner->job_at, planner->job_count, sizeof(*planner->job_at),
		compare_jobs, &use);
	for (size_t i = 0; i < planner->job_count; i++)
		planner->job[i] = gov_store_find(store,
						 planner->job_at[i]->job->id);
}

/* The ground as it would be with some of its jobs gone. */
struct as_if {
	gov_amount_t free[GOV_PLACE_TRES];
	uint32_t jobs;
};

static void go(struct planner *planner, struct as_if *as_if, size_t i,
	       bool away)
{
	const gov_amount_t *amount = planner->job_at[i]->spot.amount;
	struct gov_books *books = planner->search->books;

	as_if->jobs += away ? 1u * -1 : 1u;
	for (uint32_t t = 0; t < GOV_PLACE_TRES; t++)
		as_if->free[t] = away ? gov_amount_add(as_if->free[t],
						       amount[t]) :
					gov_amount_sub(as_if->free[t],
						       amount[t]);
	if (away)
		gov_books_release(books, planner->job[i]->kind);
	else
		gov_books_charge(books, planner->job[i]->kind);
}

static bool does(const struct planner *planner, const struct gov_ground *ground,
		 const struct as_if *as_if)
{
	return gov_placing_parts(planner->placing, as_if->free, as_if->jobs) >
	       ground->parts;
}

/* For how long the asker would have to work to do the same. */
static double unsaved(const struct planner *planner,
		      const struct gov_record *job)
{
	const struct gov_search *search = planner->search;
	gov_time_t saved = gov_record_saved(job);
	double most = 0;

	if (saved >= search->now)
		return 0;
	for (uint32_t i = 0; i < search->kind->count; i++) {
		double amount = (double)
			gov_kind_amount(job->kind, search->kind->item[i].cell);

		amount /= (double) search->kind->item[i].amount;
		if ((search->contended & 1u << i) && amount > most)
			most = amount;
	}
	return most * (double) (search->now - saved);
}

static struct price price_of(const struct planner *planner,
			     const struct gov_record *job)
{
	const struct gov_search *search = planner->search;

	return (struct price){
		.own = job->kind->team == search->kind->team,
		.weight = gov_kind_weight(&search->books->store, job->kind),
		.lost = unsaved(planner, job) + BROKEN_JOB,
		.parts = 1,
	};
}

static void swap_jobs(struct planner *planner, size_t i, size_t k)
{
	const struct gov_place *at = planner->job_at[i];
	struct gov_record *job = planner->job[i];

	planner->job_at[i] = planner->job_at[k];
	planner->job[i] = planner->job[k];
	planner->job_at[k] = at;
	planner->job[k] = job;
}

/* Would one of the others do in the place of the last one, at a lower price? */
static void exchange_last(struct planner *planner,
			  const struct gov_ground *ground, struct as_if *as_if,
			  size_t chosen)
{
	size_t last = chosen - 1, best = last;
	struct price least = price_of(planner, planner->job[last]);

	go(planner, as_if, last, false);
	for (size_t i = chosen; i < planner->job_count; i++) {
		struct price price = price_of(planner, planner->job[i]);

		if (compare_prices(&price, &least) >= 0 ||
		    !still_borrows(planner, planner->job[i]))
			continue;
		go(planner, as_if, i, true);
		if (does(planner, ground, as_if)) {
			best = i;
			least = price;
		}
		go(planner, as_if, i, false);
	}
	swap_jobs(planner, last, best);
	go(planner, as_if, last, true);
}

/*
 * The fewest that have to leave the ground for one part more: planner->job[0
 * … job_count - 1].  false: it takes none, whoever leaves.  The books are as
 * before.
 */
static bool choose_jobs(struct planner *planner,
			const struct gov_ground *ground)
{
	struct as_if as_if = { .jobs = ground->jobs };
	size_t gone = 0, kept = 0;
	bool enough = false;

	memcpy(as_if.free, ground->free, sizeof(as_if.free));
	collect(planner, ground);
	for (size_t i = 0; i < planner->job_count && !enough; i++) {
		if (!still_borrows(planner, planner->job[i]))
			continue;
		swap_jobs(planner, gone, i);
		go(planner, &as_if, gone++, true);
		enough = does(planner, ground, &as_if);
	}
	/* The newest of them may do alone. */
	for (size_t i = 0; i < gone; i++) {
		go(planner, &as_if, i, false);
		if (enough && does(planner, ground, &as_if))
			continue;
		if (enough)
			go(planner, &as_if, i, true);
		swap_jobs(planner, kept++, i);
	}
	if (enough)
		exchange_last(planner, ground, &as_if, kept);
	for (size_t i = 0; enough && i < kept; i++)
		go(planner, &as_if, i, false);
	planner->job_count = enough ? kept : 0;
	return enough;
}

/* Parts that are won if those chosen leave, no more than are needed. */
static uint64_t parts_won(struct planner *planner)
{
	struct gov_placing *placing = planner->placing;
	uint64_t before = gov_placing_all(placing), after;
	uint64_t wanted = placing->shape->parts;

	for (size_t i = 0; i < planner->job_count; i++)
		gov_placing_take(placing, planner->job[i]->id);
	after = gov_placing_all(placing);
	for (size_t i = planner->job_count; i-- > 0;)
		gov_placing_put_back(placing, planner->job[i]->id);
	if (after > wanted)
		after = wanted > before ? wanted : before + 1;
	return after > before ? after - before : 1;
}

static void price_ground(struct planner *planner, uint32_t at)
{
	const struct gov_ground *ground = &planner->placing->ground[at];
	struct entry *entry = &planner->entry[at];

	*entry = (struct entry){ .as_of = planner->takes, .priced = true };
	entry->hopeless = !choose_jobs(planner, ground);
	for (size_t i = 0; i < planner->job_count; i++) {
		struct price price = price_of(planner, planner->job[i]);

		add_price(&entry->price, &price);
	}
	entry->price.parts = parts_won(planner);
}

/* ---- one after the other ---- */

static bool is_open(const struct planner *planner, uint32_t at)
{
	const struct gov_placing *p = planner->placing;
	const struct gov_ground *ground = &p->ground[at];
	uint32_t most = p->shape->per_node;

	return !p->leaf[ground->leaf].shut && ground->parts < p->shape->parts &&
	       (!most || ground->parts < most);
}

/* The ground that takes one part more at the least price; GOV_NONE: none. */
static uint32_t cheapest(struct planner *planner)
{
	uint32_t best;

	do {
		best = GOV_NONE;
		for (uint32_t i = 0; i < planner->placing->ground_count; i++) {
			struct entry *entry = &planner->entry[i];

			if (!is_open(planner, i))
				continue;
			if (!entry->priced)
				price_ground(planner, i);
			if (!entry->hopeless &&
			    (best == GOV_NONE ||
			     compare_prices(&entry->price,
					    &planner->entry[best].price) < 0))
				best = i;
		}
		if (best == GOV_NONE ||
		    planner->entry[best].as_of == planner->takes)
			break;
		/* Others were taken since: what does it cost now? */
		planner->entry[best].priced = false;
	} while (!planner->search->cut && !planner->search->no_memory);
	return best;
}

static void take(struct planner *planner, struct gov_record *job)
{
	const struct gov_placed *placed =
		gov_places_find(planner->placing->places, job->id);

	if (gov_search_take(planner->search, job, GOV_RULE_NONE))
		return;
	for (uint32_t i = 0; placed && i < placed->count; i++) {
		uint32_t at =
			planner->placing->ground_of[placed->place[i].spot.node];

		if (at)
			planner->entry[at - 1].priced = false;
	}
}

/* Until the asker fits.  What it costs is added up; it is given up where it
 * comes to more than `most` (may be NULL). */
static bool plan(struct planner *planner, struct price *price,
		 const struct price *most)
{
	*price = (struct price){ .parts = 1 };
	while (!gov_placing_fits(planner->placing)) {
		uint32_t at = cheapest(planner);

		if (at == GOV_NONE || planner->search->cut ||
		    planner->search->no_memory)
			return false;
		add_price(price, &planner->entry[at].price);
		if (most && compare_prices(price, most) >= 0)
			return false;
		choose_jobs(planner, &planner->placing->ground[at]);
		for (size_t i = 0; i < planner->job_count; i++)
			take(planner, planner->job[i]);
		planner->takes++;
		planner->entry[at].priced = false;
	}
	return true;
}

/* ---- the proposal ---- */

static int by_team(const void *a, const void *b, void *store)
{
	const struct gov_record *x = *(struct gov_record *const *) a;
	const struct gov_record *y = *(struct gov_record *const *) b;

	if (x->kind->team != y->kind->team)
		return x->kind->team < y->kind->team ? -1 : 1;
	return gov_store_order_victims(store, x, y);
}

/* What is taken at the moment is what is proposed. */
static bool propose(struct gov_search *search)
{
	if (search->count > search->among_space) {
		struct gov_record **grown = reallocarray(search->among,
							 search->count,
							 sizeof(*grown));

		if (!grown) {
			search->no_memory = true;
			return false;
		}
		search->among = grown;
		search->among_space = search->count;
	}
	search->among_count = search->count;
	for (size_t i = 0; i < search->count; i++)
		search->among[i] = search->victim[i].job;
	qsort_r(search->among, search->among_count, sizeof(*search->among),
		by_team, &search->books->store);
	return true;
}

static void start_over(struct planner *planner)
{
	gov_search_restore(planner->search);
	planner->search->count = 0;
	planner->takes = 0;
	memset(planner->entry, 0,
	       planner->placing->ground_count * sizeof(*planner->entry));
}

static void shut_all_but(struct gov_placing *placing, uint32_t leaf)
{
	for (uint32_t i = 0; i < placing->leaf_count; i++)
		placing->leaf[i].shut = leaf != GOV_NONE && i != leaf;
}

/* Below one switch: whichever is cheapest. */
static bool plan_one_leaf(struct planner *planner)
{
	struct gov_placing *placing = planner->placing;
	struct price price, best;
	bool found = false;

	for (uint32_t i = 0; i < placing->leaf_count; i++) {
		shut_all_but(placing, i);
		start_over(planner);
		if (plan(planner, &price, found ? &best : NULL)) {
			best = price;
			found = propose(planner->search);
		}
	}
	shut_all_but(placing, GOV_NONE);
	return found;
}

bool gov_victims_plan(struct gov_search *search)
{
	struct planner planner = {
		.search = search,
		.placing = search->placing,
		.all = { .quota = search->contended },
	};
	struct price price;
	bool found;

	/* Those of an attempt before this one are back in the books. */
	search->count = search->among_count = 0;
	planner.entry = gov_array_new(search->placing->ground_count,
				      sizeof(*planner.entry));
	if (!planner.entry) {
		search->no_memory = true;
		return false;
	}
	if (search->placing->shape->leaves == 1)
		found = plan_one_leaf(&planner);
	else
		found = plan(&planner, &price, NULL) && propose(search);
	start_over(&planner);
	free(planner.entry);
	free(planner.job_at);
	free(planner.job);
	return found && search->among_count;
}

/* The first of a job's spots on this ground: there it is counted. */
static bool is_first_spot(const struct gov_placing *placing,
			  const struct gov_place *place)
{
	const struct gov_placed *job = place->job;
	uint32_t i = 0;

	while (i < job->count && !placing->ground_of[job->place[i].spot.node])
		i++;
	return i < job->count && &job->place[i] == place;
}

/* All who could be asked to leave these nodes leave, or are back. */
static void move_all(struct planner *planner, bool away)
{
	struct gov_placing *placing = planner->placing;

	for (uint32_t i = 0; i < placing->ground_count; i++) {
		const struct gov_place *place =
			gov_places_on(placing->places, placing->ground[i].node);

		for (; place; place = place->next) {
			const struct gov_record *job = gov_store_find(
				&planner->search->books->store, place->job->id);

			if (!is_first_spot(placing, place) ||
			    !may_go(planner, job))
				continue;
			if (away)
				gov_placing_take(placing, job->id);
			else
				gov_placing_put_back(placing, job->id);
		}
	}
}

bool gov_victims_could_place(struct gov_search *search)
{
	struct planner planner = {
		.search = search,
		.placing = search->placing,
		.all = { .quota = search->contended },
	};
	size_t budget = search->budget, looked = search->looked;
	bool fits;

	/* All of them, both times. */
	search->budget = SIZE_MAX;
	move_all(&planner, true);
	fits = gov_placing_fits(search->placing);
	move_all(&planner, false);
	search->budget = budget;
	search->looked = looked;
	return fits;
}

/* ---- looking at the proposed ones only ---- */

/* Where the job is among them, or would be. */
static size_t place_among(const struct gov_search *search,
			  const struct gov_record *job)
{
	size_t low = 0, high = search->among_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_team(&search->among[middle], &job,
			    &search->books->store) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct gov_record *gov_search_first(const struct gov_search *search,
				    uint32_t team)
{
	if (!search->among_only)
		return gov_store_first_charged(&search->books->store, team);
	for (size_t i = 0; i < search->among_count; i++)
		if (search->among[i]->kind->team == team)
			return search->among[i];
	return NULL;
}

struct gov_record *gov_search_next(const struct gov_search *search,
				   const struct gov_record *job)
{
	size_t i;

	if (!search->among_only)
		return gov_record_next(job);
	i = place_among(search, job) + 1;
	if (i >= search->among_count ||
	    search->among[i]->kind->team != job->kind->team)
		return NULL;
	return search->among[i];
}

size_t gov_search_pass_over(struct gov_search *search)
{
	size_t count = 0;

	for (size_t i = 0; i < search->among_count; i++) {
		struct gov_record *job = search->among[i];
		bool was_taken = false;

		for (size_t k = 0; k < search->count && !was_taken; k++)
			was_taken = search->victim[k].job == job;
		if (was_taken)
			continue;
		job->passed_over = search->round;
		count++;
	}
	return count;
}

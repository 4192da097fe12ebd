import { checked, count, flag, integer, invalid, type Json, listOf, object } from './shapes.js';
import { oneOf, orNull, type Shapes, text } from './shapes.js';

/** How the callbacks of a purchase behave; `{}` is as documented. */
export interface CallbackBehaviour {
  readonly mode?: 'never' | 'twice' | 'before_answer' | 'out_of_order';
  readonly delay_ms?: number;
  readonly from?: string;
  /** The way in which the signature is wrong; each vendor has its own. */
  readonly signature?: string;
}

/**
 * A test's rule for certain calls. Unless `decide` is false the vendor decides first, and the decision stands
 * even if the rule spoils the answer.
 */
export interface Rule {
  readonly id: number;
  readonly match: RuleMatch;
  /** The number of matching calls that pass first. */
  readonly skip: number;
  /** The number of calls to apply to after that; null is all. */
  readonly times: number | null;
  /** Later states of a purchase. Each delay counts from the step before. `[]` leaves it unchanged. */
  readonly then?: readonly { readonly after_ms: number }[];
  readonly decide?: boolean;
  readonly drop?: true | 'mid_body';
  readonly delay_before_ms?: number;
  readonly delay_ms?: number;
  readonly http?: number;
  readonly body?: string;
  readonly gzip?: boolean;
  readonly numbers_as_text?: boolean;
  readonly extra_fields?: boolean;
  /** Members that are answered instead of the true ones. */
  readonly set?: Json;
  /** Members that are left out. */
  readonly omit?: readonly string[];
  readonly callback?: CallbackBehaviour;
  /** A vendor that lies: it answers the rule's code, but the decision without the code stands. */
  readonly answer_only?: boolean;
  /** Shortens the answer of a call that lists something. */
  readonly list?: 'empty' | 'half';
}

export interface RuleMatch {
  readonly call?: string;
  readonly ref_id?: string;
  readonly sku?: string;
  readonly player?: string;
  /** Whether the reference is on record. */
  readonly repeat?: boolean;
}

/** The members of a call that rules are matched with. A vendor's calls have more in `about`. */
export interface Matchable extends Json {
  readonly call: string;
  readonly ref_id: string | null;
  readonly sku: string | null;
  readonly player: string | null;
  readonly repeat: boolean;
}

/** The members that rules of a vendor may have. */
export interface RuleForms {
  readonly calls: readonly string[];
  /** The calls that buy. A rule without a call applies to these. */
  readonly purchases: readonly string[];
  /** Further members to match, from `about` of a call. */
  readonly match?: Shapes;
  /** Members besides those of all vendors, or in place of them. */
  readonly rule: Shapes;
  readonly callback: Shapes;
  /** Members of a step besides `after_ms`. Each step must have `stepNeeds`. */
  readonly step: Shapes;
  readonly stepNeeds: string;
}

const MATCH: Shapes = { ref_id: text, sku: text, player: text, repeat: flag };

const CALLBACK: Shapes = {
  mode: oneOf('never', 'twice', 'before_answer', 'out_of_order'),
  delay_ms: count,
  from: text,
};

const RULE: Shapes = {
  match: object,
  skip: count,
  times: orNull(count),
  then: listOf(object),
  decide: flag,
  drop: oneOf(true, 'mid_body'),
  delay_before_ms: count,
  delay_ms: count,
  http: integer,
  body: oneOf('truncated', 'html', 'empty'),
  gzip: flag,
  numbers_as_text: flag,
  extra_fields: flag,
  set: object,
  omit: listOf(text),
  callback: object,
  answer_only: flag,
  list: oneOf('empty', 'half'),
};

/** The members of a rule's `callback` at this vendor. */
export const callbackShapes = (forms: RuleForms): Shapes => ({ ...CALLBACK, ...forms.callback });

/** The name of every member of a rule, its parts included. */
export function ruleMembers(forms: RuleForms): string[] {
  return Object.keys({
    ...RULE,
    ...forms.rule,
    ...MATCH,
    call: text,
    ...callbackShapes(forms),
    ...forms.step,
  });
}

/** Reads a rule; it applies to one call unless it says otherwise. @throws Invalid */
export function readRule<R extends Rule>(value: unknown, id: number, forms: RuleForms): R {
  const wanted = checked<Partial<Rule>>(value, 'rule', { ...RULE, ...forms.rule });
  const { match = {}, skip = 0, times = 1, http } = wanted;
  checked(match, 'match', { ...MATCH, ...forms.match, call: oneOf(...forms.calls) });
  if (wanted.callback) checked(wanted.callback, 'callback', callbackShapes(forms));
  if (http !== undefined && (http < 200 || http > 599)) throw invalid('rule.http must be from 200 to 599');
  const then = wanted.then?.map((step) => readStep(step, forms));
  return { ...wanted, ...(then && { then }), id, match, skip, times } as R;
}

function readStep(value: unknown, { step: shapes, stepNeeds }: RuleForms): { after_ms: number } {
  const step = checked<Json & { after_ms?: number }>(value, 'then', { after_ms: count, ...shapes });
  if (step[stepNeeds] === undefined) throw invalid(`then.${stepNeeds} is required`);
  return { ...step, after_ms: step.after_ms ?? 0 };
}

/** The first rule for this call, and the rules as they are once it has been used. */
export function takeRule<R extends Rule>(
  rules: readonly R[],
  call: Matchable,
  purchases: readonly string[],
): { rule: R | undefined; left: readonly R[] | undefined } {
  const matching = rules.filter((rule) => rule.times !== 0 && matches(rule.match, call, purchases));
  const rule = matching.find(({ skip }) => skip === 0);
  // Rules before it in the list still let calls pass, and this call counts.
  const passing = new Set(matching.slice(0, rule ? matching.indexOf(rule) : undefined));
  if (rule === undefined && passing.size === 0) return { rule, left: undefined };
  const left = rules.map((each) => {
    if (passing.has(each)) return { ...each, skip: each.skip - 1 };
    return each === rule && each.times !== null ? { ...each, times: each.times - 1 } : each;
  });
  return { rule, left };
}

function matches(match: RuleMatch, call: Matchable, purchases: readonly string[]): boolean {
  if (match.call === undefined && !purchases.includes(call.call)) return false;
  return Object.entries(match).every(([name, wanted]) => call[name] === wanted);
}

/** The steps with the due time of each. */
export function datedSteps<S extends { readonly after_ms: number }>(
  nowMs: number,
  steps: readonly S[],
): (Omit<S, 'after_ms'> & { due_ms: number })[] {
  let due_ms = nowMs;
  return steps.map(({ after_ms, ...step }) => ({ ...step, due_ms: (due_ms += after_ms) }));
}

/** The steps and callbacks of a new purchase: those of the rule, or else `ordinary` steps. */
export function courseOf<S extends { readonly after_ms: number }, B extends CallbackBehaviour>(
  nowMs: number,
  rule: { readonly then?: readonly S[]; readonly callback?: B } | undefined,
  ordinary: readonly S[],
): { steps: (Omit<S, 'after_ms'> & { due_ms: number })[]; callback: B } {
  return { steps: datedSteps(nowMs, rule?.then ?? ordinary), callback: rule?.callback ?? ({} as B) };
}

/** The delay until a purchase ends: none if the rule wants the callback with the end before the answer. */
export const settleDelay = (rule: Rule | undefined, ms: number): number =>
  rule?.callback?.mode === 'before_answer' ? 0 : ms;

/** The rule by which the vendor decides: without the code, if the code is only answered. */
export function honestRule<R extends Rule>(rule: R | undefined, code: keyof R): R | undefined {
  return rule?.answer_only ? { ...rule, [code]: undefined } : rule;
}

/** The list as the rule shortens it. `round` rounds the half of an odd number. */
export function shortened<Item>(
  items: readonly Item[],
  rule: Rule | undefined,
  round: (half: number) => number = Math.floor,
): readonly Item[] {
  if (rule?.list === 'empty') return [];
  return rule?.list === 'half' ? items.slice(0, round(items.length / 2)) : items;
}

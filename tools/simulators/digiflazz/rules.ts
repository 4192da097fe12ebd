import {
  checked,
  count,
  flag,
  invalid,
  isObject,
  listOf,
  object,
  oneOf,
  orNull,
  responseCode,
} from './shapes.js';
import { integer, type Shape, text } from './shapes.js';

export type Call = 'transaction' | 'price-list' | 'cek-saldo' | 'deposit';

/** How the callbacks of a transaction behave; `{}` is as documented. */
export interface CallbackBehaviour {
  readonly mode?: 'never' | 'twice' | 'before_answer' | 'out_of_order';
  readonly delay_ms?: number;
  readonly signature?: 'wrong' | 'absent' | 'no_prefix' | 'reserialised';
  readonly from?: string;
}

/**
 * What a test wants of certain calls. Unless `decide` is false the vendor decides first, and what is decided
 * stands, whatever becomes of the answer.
 */
export interface Rule {
  readonly id: number;
  readonly match: RuleMatch;
  /** How many calls that match are let pass first. */
  readonly skip: number;
  /** How many calls it applies to after that; null is all. */
  readonly times: number | null;
  readonly rc?: string;
  /** Answers `rc` and leaves on record what would have been decided without it: a vendor that lies. */
  readonly answer_only?: boolean;
  readonly sn?: string;
  /** What becomes of it later; each delay counts from the step before. `[]` leaves it as it is. */
  readonly then?: readonly { readonly rc: string; readonly after_ms: number; readonly sn?: string }[];
  readonly decide?: boolean;
  readonly drop?: true | 'mid_body';
  readonly delay_before_ms?: number;
  readonly delay_ms?: number;
  readonly http?: number;
  readonly body?: 'truncated' | 'html' | 'empty' | 'no_data';
  readonly gzip?: boolean;
  readonly numbers_as_text?: boolean;
  readonly rc_as_number?: boolean;
  readonly extra_fields?: boolean;
  /** Members of `data` that are answered instead of the true ones. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Members of `data` that are left out. */
  readonly omit?: readonly string[];
  readonly list?: 'empty' | 'half';
  readonly callback?: CallbackBehaviour;
}

export interface RuleMatch {
  readonly call?: Call;
  readonly ref_id?: string;
  readonly sku?: string;
  readonly player?: string;
  /** Whether the reference is on record. */
  readonly repeat?: boolean;
}

/** What a rule is matched with. */
export interface Matchable {
  readonly call: Call;
  readonly ref_id: string | null;
  readonly sku: string | null;
  readonly player: string | null;
  readonly repeat: boolean;
}

const MATCH: Readonly<Record<string, Shape>> = {
  call: oneOf('transaction', 'price-list', 'cek-saldo', 'deposit'),
  ref_id: text,
  sku: text,
  player: text,
  repeat: flag,
};

export const CALLBACK: Readonly<Record<string, Shape>> = {
  mode: oneOf('never', 'twice', 'before_answer', 'out_of_order'),
  delay_ms: count,
  signature: oneOf('wrong', 'absent', 'no_prefix', 'reserialised'),
  from: text,
};

const STEP: Readonly<Record<string, Shape>> = { rc: responseCode, after_ms: count, sn: text };

const RULE: Readonly<Record<string, Shape>> = {
  match: object,
  skip: count,
  times: orNull(count),
  rc: responseCode,
  answer_only: flag,
  sn: text,
  then: listOf(object),
  decide: flag,
  drop: oneOf(true, 'mid_body'),
  delay_before_ms: count,
  delay_ms: count,
  http: integer,
  body: oneOf('truncated', 'html', 'empty', 'no_data'),
  gzip: flag,
  numbers_as_text: flag,
  rc_as_number: flag,
  extra_fields: flag,
  set: object,
  omit: listOf(text),
  list: oneOf('empty', 'half'),
  callback: object,
};

export const RULE_MEMBERS: readonly string[] = [
  ...Object.keys(RULE),
  ...Object.keys(MATCH),
  ...Object.keys(CALLBACK),
];

/** Reads a rule; it applies to one call unless it says otherwise. @throws Invalid */
export function readRule(value: unknown, id: number): Rule {
  const wanted = checked<Partial<Rule>>(value, 'rule', RULE);
  const { match = {}, skip = 0, times = 1, http } = wanted;
  checked(match, 'match', MATCH);
  if (wanted.callback) checked(wanted.callback, 'callback', CALLBACK);
  for (const step of wanted.then ?? []) {
    checked(step, 'then', STEP);
    if (!isObject(step) || step.rc === undefined) throw invalid('then.rc is required');
  }
  if (http !== undefined && (http < 200 || http > 599)) throw invalid('rule.http must be from 200 to 599');
  const then = wanted.then?.map((step) => ({ ...step, after_ms: step.after_ms ?? 0 }));
  return { ...wanted, ...(then && { then }), id, match, skip, times };
}

/** The first rule for this call, and the rules as they are once it has been used. */
export function takeRule(
  rules: readonly Rule[],
  call: Matchable,
): { rule: Rule | undefined; left: readonly Rule[] | undefined } {
  const matching = rules.filter((rule) => rule.times !== 0 && matches(rule.match, call));
  const rule = matching.find(({ skip }) => skip === 0);
  // Those before it in the list are still letting calls pass, this one too.
  const passing = new Set(matching.slice(0, rule ? matching.indexOf(rule) : undefined));
  if (rule === undefined && passing.size === 0) return { rule, left: undefined };
  const left = rules.map((each) => {
    if (passing.has(each)) return { ...each, skip: each.skip - 1 };
    return each === rule && each.times !== null ? { ...each, times: each.times - 1 } : each;
  });
  return { rule, left };
}

function matches(match: RuleMatch, call: Matchable): boolean {
  if (match.call === undefined && call.call !== 'transaction') return false;
  return Object.entries(match).every(([name, wanted]) => call[name as keyof Matchable] === wanted);
}

import * as common from '../common/rules.js';
import { count, flag, integer, listOf, object, oneOf, text } from '../common/shapes.js';

export const CALLS = ['recharge-orders', 'card-orders', 'inquiry', 'categories', 'types', 'me', 'time'] as const;
export type Call = (typeof CALLS)[number];

export interface Card {
  readonly sn: string;
  readonly pin: string;
  readonly expired: string;
}

export interface PlannedStep {
  readonly status_code: number;
  readonly after_ms: number;
  readonly refunded_reason?: string;
  /** False: done, but without cards yet. */
  readonly with_cards?: boolean;
  readonly cards?: readonly Card[];
}

/** How the callbacks of a purchase behave; `stale` is a signature of other values. */
export interface CallbackBehaviour extends common.CallbackBehaviour {
  readonly signature?: 'wrong' | 'absent' | 'stale';
}

export interface Rule extends common.Rule {
  readonly code?: number;
  readonly info_code?: number;
  readonly then?: readonly PlannedStep[];
  readonly callback?: CallbackBehaviour;
}

/** The members of a purchase's state. */
export const STATE = {
  status_code: oneOf(10_001, 10_002, 10_003, 10_004, 10_005),
  refunded_reason: text,
  with_cards: flag,
  cards: listOf(object),
};

export const RULES: common.RuleForms = {
  calls: CALLS,
  purchases: ['recharge-orders', 'card-orders'],
  match: { type_id: text, order_id: text },
  rule: { code: integer, info_code: count },
  callback: { signature: oneOf('wrong', 'absent', 'stale') },
  step: STATE,
  stepNeeds: 'status_code',
};

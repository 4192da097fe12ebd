import * as common from '../common/rules.js';
import { type Shape, text } from '../common/shapes.js';

export const CALLS = ['purchase', 'get_output', 'balance_inquiry', 'payee_info', 'comp_export'] as const;
/** The kinds of products. */
export const TYPES = ['gtopup', 'mtopup', 'cashcard', 'billpay'] as const;
export type Type = (typeof TYPES)[number];

export type Call = (typeof CALLS)[number];

export interface Rule extends common.Rule {
  readonly code?: string;
  readonly then?: readonly PlannedStep[];
}

export interface PlannedStep {
  readonly status: string;
  readonly after_ms: number;
  readonly operator_trxnsid?: string;
  readonly serial?: string;
  readonly pin?: string;
}

export const answerCode: Shape = {
  expected: 'five digits in a string',
  fits: (value) => typeof value === 'string' && /^\d{5}$/.test(value),
};

/** The members of a purchase's state. */
export const STATE = { status: text, operator_trxnsid: text, serial: text, pin: text };

export const RULES: common.RuleForms = {
  calls: CALLS,
  purchases: ['purchase'],
  match: { type: text, company: text, transaction_id: text },
  rule: { code: answerCode },
  callback: {},
  step: STATE,
  stepNeeds: 'status',
};

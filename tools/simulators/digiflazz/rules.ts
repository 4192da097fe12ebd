import * as common from '../common/rules.js';
import { flag, oneOf, type Shape, text } from '../common/shapes.js';

/** How the callbacks of a transaction behave; `{}` is as documented. */
export interface CallbackBehaviour extends common.CallbackBehaviour {
  readonly signature?: 'wrong' | 'absent' | 'no_prefix' | 'reserialised';
}

export interface Rule extends common.Rule {
  readonly rc?: string;
  readonly sn?: string;
  readonly then?: readonly { readonly rc: string; readonly after_ms: number; readonly sn?: string }[];
  readonly body?: 'truncated' | 'html' | 'empty' | 'no_data';
  readonly rc_as_number?: boolean;
  readonly callback?: CallbackBehaviour;
}

export const responseCode: Shape = {
  expected: 'two digits in a string',
  fits: (value) => typeof value === 'string' && /^\d\d$/.test(value),
};

export const RULES: common.RuleForms = {
  calls: ['transaction', 'price-list', 'cek-saldo', 'deposit'],
  purchases: ['transaction'],
  rule: {
    rc: responseCode,
    sn: text,
    body: oneOf('truncated', 'html', 'empty', 'no_data'),
    rc_as_number: flag,
  },
  callback: { signature: oneOf('wrong', 'absent', 'no_prefix', 'reserialised') },
  step: { rc: responseCode, sn: text },
  stepNeeds: 'rc',
};

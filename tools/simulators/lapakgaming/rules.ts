import type { RuleForms } from '../common/rules.js';
import { listOf, oneOf, type Shape, type Shapes, text } from '../common/shapes.js';
import { STATUSES } from './codes.js';

/** A code of the vendor's list, or any other in the same format. */
export const code: Shape = {
  expected: 'a code in capital letters',
  fits: (value) => typeof value === 'string' && /^[A-Z][A-Z_]*$/.test(value),
};
export const status: Shape = oneOf(...STATUSES);

/** The state of an order, in a step of a rule and for `POST /_sim/settle`. */
export const OUTCOME: Shapes = {
  status,
  transactions: listOf(status),
  note: text,
  voucher_code: text,
};

export const RULES: RuleForms = {
  calls: [
    'order',
    'order_status',
    'category',
    'all-products',
    'product',
    'group-products',
    'best-product',
    'fx-rate',
    'balance',
  ],
  purchases: ['order'],
  rule: {
    code,
    note: text,
    voucher_code: text,
    body: oneOf('truncated', 'html', 'empty', 'no_data'),
  },
  callback: {},
  step: OUTCOME,
  stepNeeds: 'status',
};

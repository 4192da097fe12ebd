import { isUtf8 } from 'node:buffer';
import type { CallbackReader, CallbackReading, CallbackReply } from '../supplier-adapter.js';
import { nameOf } from '../adapter-answers.js';
import { deliveriesIn } from './output-answers.js';

/** Reads the supplier's posts to `resp_url`. Nothing proves the origin of a post, so it only leads to an inquiry. */
export const wepayCallbacks: CallbackReader = {
  read({ body }) {
    if (!isUtf8(body)) return unreadable('the body is not UTF-8');
    const fields = new URLSearchParams(body.toString('utf8'));
    const reference = nameOf(fields.get('dest_ref'));
    const supplierReference = nameOf(fields.get('transaction_id'));
    if (reference === undefined) return unreadable('the body names no dest_ref');
    return {
      kind: 'about',
      reference,
      ...(supplierReference !== undefined && { supplierReference }),
      reply: plain(`SUCCEED|ORDER_ID=${reference}`),
    };
  },

  deliveriesIn: (body) => deliveriesIn(new URLSearchParams(body.toString('utf8'))),
};

const unreadable = (detail: string): CallbackReading => ({
  kind: 'unreadable',
  detail,
  reply: plain(`ERROR|${detail}`),
});

const plain = (body: string): CallbackReply => ({
  status: 200,
  contentType: 'text/plain; charset=utf-8',
  body,
});

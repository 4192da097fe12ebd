import { type Code, httpStatusOf, SUCCESS } from './codes.js';
import type { LapakReply, Order } from './model.js';
import type { LapakStore } from './store.js';

/** The answer to a call that succeeded. */
export function done(decision: string, data: unknown, transaction?: Order): LapakReply {
  return {
    http: 200,
    code: SUCCESS,
    data,
    decision,
    about: { code: SUCCESS },
    ...(transaction && { transaction }),
  };
}

/** A refusal; only the journal has the reason. */
export function refused(store: LapakStore, code: Code, why?: string): LapakReply {
  const { refusal_data, refusal_http_status: refusal } = store.readings;
  const http = httpStatusOf(code, { refusal, systemError: store.readings.system_error_http_status });
  const data = refusal_data === 'null' ? null : {};
  return { http, code, data, decision: 'refused', about: { code, ...(why && { why }) } };
}

/** `reply` with another code, independent of the decision. */
export function withCode(store: LapakStore, reply: LapakReply, code: Code): LapakReply {
  const { http, data } = refused(store, code);
  return { ...reply, http, code, data, about: { ...reply.about, code } };
}

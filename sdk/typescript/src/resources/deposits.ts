import { List, type Page } from '../list.js';
import { pathTo } from '../path.js';
import type { CallOptions, Transport } from '../transport.js';
import type { Deposit, DepositQuery, NewDeposit } from '../types.js';

export class Deposits {
  constructor(private readonly transport: Transport) {}

  /**
   * Makes a deposit: show its `qr_image` and `amount_to_pay`. Safe to repeat: the same `reference_id` with the same content
   * returns the same deposit.
   * @throws ApiError such as 400, 409 `DUPLICATE_REFERENCE`, or 409 and 503 with a code in `details`, such as `TOO_MANY_OPEN`
   */
  create(deposit: NewDeposit, options?: CallOptions): Promise<Deposit> {
    return this.transport.send({ method: 'POST', path: '/v1/deposits', body: deposit, isRepeatable: true }, options);
  }

  /** The deposit as it stands now, by your `reference_id`. @throws ApiError 404; TypeError for `.` and `..` */
  async get(referenceId: string, options?: CallOptions): Promise<Deposit> {
    return this.transport.get(pathTo('/v1/deposits', 'reference_id', referenceId), {}, options);
  }

  /** Newest first, without `qr_image`. */
  list(query: DepositQuery = {}, options?: CallOptions): List<Deposit> {
    return new List((cursor) => this.transport.get<Page<Deposit>>('/v1/deposits', { ...query, cursor }, options));
  }

  /** Ends the offer; a payment that is under way still counts. @throws ApiError 409 for one that is `paid` or `expired` */
  async cancel(referenceId: string, options?: CallOptions): Promise<Deposit> {
    const path = `${pathTo('/v1/deposits', 'reference_id', referenceId)}/cancel`;
    return this.transport.send({ method: 'POST', path, isRepeatable: true }, options);
  }

  /**
   * Presents the text of the QR code on the payer's slip, so that the payment is found sooner: see `slip` of the deposit.
   * @throws ApiError 400 `INVALID_SLIP`; 409 `SLIPS_NOT_TAKEN`; 429 after too many slips
   */
  async presentSlip(referenceId: string, payload: string, options?: CallOptions): Promise<Deposit> {
    const path = `${pathTo('/v1/deposits', 'reference_id', referenceId)}/slip`;
    return this.transport.send({ method: 'POST', path, body: { payload }, isRepeatable: true }, options);
  }
}

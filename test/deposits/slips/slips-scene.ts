import { miniQr } from '../../../src/deposits/slips/mini-qr.js';
import { startEasySlip } from '../../../tools/simulators/easyslip/vendor.js';
import { SimulatorBench, SimulatorClient, type Json } from '../../simulators/simulator-client.js';
import { eventually } from '../../support/eventually.js';
import type { Answer } from '../../support/http.js';
import { unique, type TestMerchant } from '../../support/stack.js';
import { DepositsScene, type DepositView } from '../scene.js';

export const KEY = 'easyslip-test-key';

export type Deposit = DepositView & { slip: { status: string; code: string | null } | null };

/** The sending bank's record of a transfer that pays a deposit. */
export interface Transfer extends Json {
  payload: string;
  trans_ref: string;
  sending_bank: string;
  amount: string;
  date: string;
}

/** A service with channels that take slips, and the simulated slip service. */
export class SlipsScene {
  private constructor(
    readonly deposits: DepositsScene,
    private readonly bench: SimulatorBench<SimulatorClient>,
    readonly service: SimulatorClient,
  ) {}

  static async start(...given: Parameters<typeof DepositsScene.start>): Promise<SlipsScene> {
    return SlipsScene.at(await DepositsScene.start(...given));
  }

  /** Adds the slip service to a service. */
  static async at(deposits: DepositsScene): Promise<SlipsScene> {
    const bench = new SimulatorBench(startEasySlip, SimulatorClient);
    return new SlipsScene(deposits, bench, await bench.start());
  }

  async close(): Promise<void> {
    await this.clear();
    await this.deposits.close();
  }

  /** Stops the simulator. */
  async clear(): Promise<void> {
    await this.bench.clear();
  }

  /** A channel that takes slips of payments to its own account. */
  async channel(...options: string[]): Promise<{ code: string; account: string }> {
    const account = `01234${60_000 + ++accounts}`;
    const code = await this.deposits.channel(`account=004:${account}`);
    await this.takeSlips(code, ...options);
    return { code, account };
  }

  async takeSlips(code: string, ...options: string[]): Promise<void> {
    const given = ['slip_service=easyslip', ...options].flatMap((option) => ['--option', option]);
    const service = ['--base-url', this.service.url, '--credential', `slip_key=${KEY}`];
    await this.deposits.operator.json('channel', 'set', '--code', code, '--adapter', 'promptpay', ...service, ...given);
  }

  /** A transfer that pays a deposit now, to the account of its channel. The slip service does not know of it. */
  transfer({ amount_to_pay: amount }: DepositView, account: string, changes: Json = {}): Transfer {
    const trans_ref = unique('T')
      .replaceAll(/[^0-9A-Za-z]/g, '')
      .slice(-25);
    const payload = miniQr({ bank: '014', transRef: trans_ref });
    const paid = { payload, trans_ref, sending_bank: '014', amount, date: new Date().toISOString() };
    return { ...paid, receiver_account: account, ...changes };
  }

  /** The slip service learns of a transfer. */
  async pay(transfer: Transfer): Promise<void> {
    await this.service.sim('slips', transfer);
  }

  present(
    { client }: Pick<TestMerchant, 'client'>,
    { reference_id }: Pick<DepositView, 'reference_id'>,
    payload: string,
  ): Promise<Answer<Deposit>> {
    return client.post<Deposit>(`/v1/deposits/${reference_id}/slip`, { payload });
  }

  /** Presents a slip, and waits until a worker has decided what a slow request could not. */
  async decided(
    shop: TestMerchant,
    deposit: Pick<DepositView, 'reference_id'>,
    payload: string,
  ): Promise<Answer<Deposit>> {
    const answer = await this.present(shop, deposit, payload);
    const read = async (): Promise<Deposit> => {
      await this.hurry();
      return this.get(shop, deposit);
    };
    if (answer.body.slip?.status !== 'checking') return answer;
    return { ...answer, body: await eventually(read, ({ slip }) => slip?.status !== 'checking') };
  }

  async get({ client }: TestMerchant, { reference_id }: Pick<DepositView, 'reference_id'>): Promise<Deposit> {
    return (await client.get<Deposit>(`/v1/deposits/${reference_id}`)).body;
  }

  /** How often the slip service was asked about a transfer. */
  async calls({ payload }: Pick<Transfer, 'payload'>): Promise<number> {
    return (await this.service.journal(payload)).length;
  }

  /** Makes the next call about each undecided slip due. */
  async hurry(): Promise<void> {
    await this.deposits.stack.sql(`UPDATE slip_checks SET next_at = now() WHERE next_at > now()`);
  }

  /** Forgets the limit of slips in a minute. */
  async pass(): Promise<void> {
    await this.deposits.stack.sql(`UPDATE slip_checks SET created_at = created_at - interval '1 minute'`);
  }
}

let accounts = 0;

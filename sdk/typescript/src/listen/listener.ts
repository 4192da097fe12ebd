import { randomBytes } from 'node:crypto';
import { backoffMs, sleep } from '../backoff.js';
import { ApiError, TopupError } from '../errors.js';
import { Topup } from '../topup.js';
import type { TopupEvent } from '../types.js';
import type { Settings } from './arguments.js';
import { Forwarder } from './forwarder.js';
import type { State, StateFile } from './state-file.js';

const PAGE = 100;
const POLL_MS = 1_000;

/** Reads a merchant's events, forwards the wanted ones, and stores its position. */
export class Listener {
  private readonly topup: Topup;
  private readonly forwarder: Forwarder;
  private readonly state: State;
  private readonly isNew: boolean;

  constructor(
    private readonly settings: Settings,
    private readonly file: StateFile,
    private readonly print: (line: string) => void,
  ) {
    const kept = file.read();
    // A secret from the command line is not stored.
    const secret = kept?.secret ?? `whsec_${randomBytes(32).toString('base64')}`;
    this.isNew = kept === null && settings.begin === null;
    this.state = { after: (settings.begin ?? kept)?.after ?? null, secret };
    this.topup = new Topup(settings);
    this.forwarder = new Forwarder(settings.forwardTo, settings.secret ?? secret, print);
  }

  /** Runs until it throws the signal's reason, or an ApiError that no retry can mend. */
  async run(signal: AbortSignal): Promise<never> {
    if (this.isNew) await this.skipThePast(signal);
    this.file.write(this.state);
    const { baseUrl, forwardTo, events } = this.settings;
    this.print(`Signing secret: ${this.settings.secret === null ? this.state.secret : 'as given'}`);
    this.print(`Forwarding ${events ? [...events].join(', ') : 'every event'} of ${baseUrl} to ${forwardTo}`);
    for (;;) {
      const page = await this.nextPage(signal);
      for (const event of page) await this.handle(event, signal);
      if (page.length < PAGE) await sleep(POLL_MS, signal);
    }
  }

  private async handle(event: TopupEvent, signal: AbortSignal): Promise<void> {
    if (this.settings.events?.has(event.event) ?? true) await this.forwarder.forward(event, signal);
    this.state.after = event.id;
    this.file.write(this.state);
  }

  private async skipThePast(signal: AbortSignal): Promise<void> {
    let skipped = 0;
    for (;;) {
      const page = await this.nextPage(signal);
      this.state.after = page.at(-1)?.id ?? this.state.after;
      skipped += page.length;
      if (page.length < PAGE) break;
    }
    if (skipped > 0) this.print(`Skipped ${skipped} past events (--from-start forwards them)`);
  }

  /** The events after the last one, at most a page. It waits while the service is unreachable. */
  private async nextPage(signal: AbortSignal): Promise<TopupEvent[]> {
    for (let failures = 0; ; failures++) {
      try {
        const { after } = this.state;
        const query = { limit: PAGE, ...(after === null ? {} : { after }) };
        return await this.topup.events.list(query, { signal }).toArray(PAGE);
      } catch (error) {
        if (!(error instanceof TopupError)) throw error;
        if (error instanceof ApiError && !isForNow(error)) this.forgetOrThrow(error);
        else if (failures === 0) this.print(`${error.message}: trying again`);
        await sleep(backoffMs(failures), signal);
      }
    }
  }

  /** An event that the service has removed is older than all others, so reading starts at the oldest. @throws errors that no retry can mend */
  private forgetOrThrow(error: ApiError): void {
    if (error.status !== 400 || this.state.after === null || this.settings.begin !== null) throw error;
    this.print(`${this.state.after} no longer exists: continuing with the oldest event`);
    this.state.after = null;
  }
}

const isForNow = ({ status }: ApiError): boolean => status >= 500 || status === 429;

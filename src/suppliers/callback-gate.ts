import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError, notFound } from '../core/errors.js';
import { WindowStore } from '../core/http/window-store.js';

const WINDOW_MS = 1_000;
/** The maximum of callbacks within a window, for each caller in each API process (contract, section 8). */
const MAX_IN_WINDOW = 100;

/** The suppliers or channels that may call us. */
interface Callers<Caller> {
  list: () => Promise<Caller[]>;
  /** Null if the caller has no address, or none that can be opened. */
  tokenOf: (caller: Caller) => string | null;
  /** Called for each callback that is refused for its rate. */
  limited: (code: string) => void;
}

/** Identifies the caller of a callback address, and limits the rate. */
export class CallbackGate<Caller extends { code: string }> {
  private readonly windows = new WindowStore(WINDOW_MS);
  /** Compared with the sent token if the caller is unknown, so that the refusal takes as long as for a wrong token. */
  private readonly dummyToken = randomBytes(16).toString('hex');
  private lastReading: Promise<unknown> = Promise.resolve();
  private nextReading: Promise<Caller[]> | undefined;

  constructor(private readonly callers: Callers<Caller>) {}

  /**
   * Checks the token before the rate, so that strangers never use up a caller's limit.
   * @returns the caller that the address belongs to.
   * @throws NOT_FOUND for an unknown address; TOO_MANY_REQUESTS; SERVICE_UNAVAILABLE
   */
  async admit(code: string, token: string): Promise<Caller> {
    const callers = await this.readCallers();
    const named = callers.find((each) => each.code === code);
    const expected = named ? this.callers.tokenOf(named) : null;
    const isRight = isSame(token, expected ?? this.dummyToken);
    if (!named || expected === null || !isRight) throw notFound('callback address');
    const { totalHits } = this.windows.increment(named.code);
    if (totalHits > MAX_IN_WINDOW) {
      this.callers.limited(named.code);
      const message = `More than ${MAX_IN_WINDOW} callbacks per second: please slow down`;
      throw new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: 1 });
    }
    return named;
  }

  /**
   * Reads the present callers. Callbacks that arrive while one reading runs share the next reading. So strangers keep at
   * most one connection to PostgreSQL busy.
   */
  private readCallers(): Promise<Caller[]> {
    return (this.nextReading ??= this.readAfter(this.lastReading));
  }

  private async readAfter(earlier: Promise<unknown>): Promise<Caller[]> {
    await earlier;
    this.nextReading = undefined;
    const reading = this.callers.list();
    this.lastReading = reading.catch(() => undefined);
    return reading;
  }
}

/** Compares in the same time for every wrong text, so that the time reveals nothing about the secret. */
const isSame = (given: string, secret: string): boolean => timingSafeEqual(digest(given), digest(secret));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { HOUR_MS } from '../core/durations.js';
import { retryAfterMs } from '../core/retry-after.js';
import type { HttpFailure } from '../core/safe-http/http-failure.js';
import { SafeHttpClient, type HttpResult } from '../core/safe-http/safe-http-client.js';
import { signatureHeader, type Message } from './signature.js';
import { WebhookDestinationsService } from './webhook-destinations.service.js';

/** The times of an attempt, in milliseconds (contract, section 4). */
@Injectable()
export class AttemptTiming {
  /** One deadline for resolving, connecting, TLS, header and body. */
  readonly timeoutMs: number = 15_000;
  /** How much longer than `timeoutMs` a lease lasts: time to begin the attempt, and to record its outcome. */
  readonly leaseMarginMs: number = 5_000;
}

/** The outcome of an attempt: the HTTP status of the answer, or the reason why there is no answer. */
export interface AttemptOutcome {
  status: number | null;
  error: HttpFailure | null;
  /** The first KiB of the answer, as text that PostgreSQL can store; null without an answer. */
  bodyText: string | null;
  durationMs: number;
  /** The seconds in Retry-After, but only of an answer with 429 or 503. */
  retryAfterSeconds: number | null;
}

const MAX_BODY_BYTES = 16 * 1024;
const LOGGED_BODY_BYTES = 1024;
const MAX_RETRY_AFTER_MS = HOUR_MS;
const USER_AGENT = 'order-topup-webhooks/1.0';

/** Signs a message and sends it once. */
@Injectable()
export class WebhookSender implements OnApplicationShutdown {
  private readonly http: SafeHttpClient;

  constructor({ policy, resolve }: WebhookDestinationsService, { timeoutMs }: AttemptTiming) {
    this.http = new SafeHttpClient({ policy, resolve, timeoutMs, maxBodyBytes: MAX_BODY_BYTES });
  }

  /**
   * Sends a message with one signature for each secret. Never rejects: the outcome has the error. The HTTP client checks the
   * address when it connects.
   */
  async send(url: string, message: Message, secrets: string[]): Promise<AttemptOutcome> {
    const result = await this.http.send({
      method: 'POST',
      url,
      headers: {
        'webhook-id': message.id,
        'webhook-timestamp': String(message.timestamp),
        'webhook-signature': signatureHeader(message, secrets),
        'content-type': 'application/json',
        'user-agent': USER_AGENT,
      },
      body: Buffer.from(message.body, 'utf8'),
    });
    return toOutcome(result);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }
}

function toOutcome({ status, failure, headers, body, durationMs }: HttpResult): AttemptOutcome {
  return {
    status,
    error: failure,
    bodyText: status === null ? null : storableText(body.subarray(0, LOGGED_BODY_BYTES)),
    durationMs: Math.round(durationMs),
    retryAfterSeconds: status === 429 || status === 503 ? retryAfterSeconds(headers['retry-after']) : null,
  };
}

/** In whole seconds, an hour at most (contract, section 4). */
function retryAfterSeconds(header: string | string[] | undefined): number | null {
  const waitMs = retryAfterMs(header, Date.now(), MAX_RETRY_AFTER_MS);
  return waitMs === null ? null : Math.ceil(waitMs / 1000);
}

/** Decodes UTF-8. Invalid bytes become U+FFFD, and so does NUL, which PostgreSQL cannot store. An incomplete end is dropped. */
function storableText(bytes: Buffer): string {
  if (bytes.length === 0) return '';
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true }).replaceAll('\0', '\ufffd');
}

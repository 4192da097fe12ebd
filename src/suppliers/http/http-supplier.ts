import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { buildConnector, request, type Dispatcher } from 'undici';
import { createCallAgent } from '../../core/call-agent.js';
import { readBalanceAnswer, readInquiryAnswer, readSendAnswer, type HttpAnswer } from './http-answers.js';
import type {
  Outcome,
  SupplierAdapter,
  SupplierBalance,
  SupplierSettings,
  TopUp,
} from '../supplier-adapter.js';

const MAX_ANSWER_BYTES = 64 * 1024;

/** The supplier protocol over HTTP: JSON, a bearer token where the supplier has one. */
@Injectable()
export class HttpSupplier implements SupplierAdapter, OnApplicationShutdown {
  readonly deduplicates = true;

  // The one deadline of a call is its signal; redirects are not followed.
  private readonly agent = createCallAgent(
    { connections: 256, headersTimeout: 0, bodyTimeout: 0 },
    buildConnector({}),
  );

  async send(supplier: SupplierSettings, topUp: TopUp): Promise<Outcome> {
    const body = JSON.stringify({
      reference: topUp.reference,
      sku: topUp.sku,
      user_id: topUp.userId,
      server_id: topUp.serverId,
      character_id: topUp.characterId,
    });
    try {
      return readSendAnswer(await this.call(supplier, 'POST', '/v1/top-ups', body), topUp.reference);
    } catch (error) {
      const detail = describe(error);
      return wasNeverSent(error) ? { kind: 'not_accepted', detail } : { kind: 'unknown', detail };
    }
  }

  readonly inquire = async (supplier: SupplierSettings, reference: string): Promise<Outcome> => {
    try {
      const path = `/v1/top-ups/${encodeURIComponent(reference)}`;
      return readInquiryAnswer(await this.call(supplier, 'GET', path), reference);
    } catch (error) {
      return { kind: 'unknown', detail: describe(error) };
    }
  };

  async balance(supplier: SupplierSettings): Promise<SupplierBalance> {
    try {
      return readBalanceAnswer(await this.call(supplier, 'GET', '/v1/balance'));
    } catch (error) {
      return { known: false, detail: describe(error), reached: false };
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  private async call(
    { baseUrl, token, timeoutMs }: SupplierSettings,
    method: 'GET' | 'POST',
    path: string,
    body?: string,
  ): Promise<HttpAnswer> {
    const cutOff = new AbortController();
    const deadline = setTimeout(() => cutOff.abort(new DOMException('no answer', 'TimeoutError')), timeoutMs);
    try {
      const response = await request(baseUrl + path, {
        dispatcher: this.agent,
        method,
        signal: cutOff.signal,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body }),
      });
      const text = await readText(response.body, cutOff);
      const retryAfter = response.headers['retry-after'];
      return {
        status: response.statusCode,
        body: parseJson(text),
        retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
      };
    } finally {
      clearTimeout(deadline);
    }
  }
}

async function readText(body: Dispatcher.ResponseData['body'], cutOff: AbortController): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) {
      cutOff.abort();
      throw new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

interface NetworkError extends Error {
  code?: string;
  syscall?: string;
  errors?: NetworkError[];
}

const NOT_CONNECTED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH']);
const NOT_RESOLVED = new Set(['ENOTFOUND', 'EAI_AGAIN']);

/** Whether a call certainly failed before its first byte went out: no name, or no connection. */
function wasNeverSent(error: unknown): boolean {
  const { code = '', syscall, errors } = error as NetworkError;
  if (errors && errors.length > 0) return errors.every(wasNeverSent);
  return (
    (syscall === 'connect' && NOT_CONNECTED.has(code)) ||
    (syscall === 'getaddrinfo' && NOT_RESOLVED.has(code))
  );
}

function describe(error: unknown): string {
  const { name, code, message } = error as NetworkError;
  if (name === 'TimeoutError') return 'timeout';
  return code ?? message;
}

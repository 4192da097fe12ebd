import {
  createServer,
  IncomingMessage,
  ServerResponse,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type Server,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';
import { errorBody, HTTP_STATUS, type ErrorCode } from '../errors.js';
import { newRequestId } from '../identifiers.js';
import { endAfterAnswer, endWith, isEnding, isTooMuchLeft } from './unread-body.js';

/** Longer than the keep-alive of usual load balancers, so that they and not we close idle connections. */
const KEEP_ALIVE_MS = 65_000;
const REQUEST_TIMEOUT_MS = 60_000;
const CLOSE_IDLE_EVERY_MS = 100;

/**
 * Express on a server whose own refusals (a bad request line, oversized headers, a request that never ends) carry
 * the same error body as every other answer, and that drains when it closes.
 */
export class HttpServerAdapter extends ExpressAdapter {
  private closing = false;

  override initHttpServer(): void {
    const server = createHttpServer(this.getInstance<Express>());
    server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
      if (this.closing) response.setHeader('Connection', 'close');
    });
    this.httpServer = server;
  }

  /** Answers what is in progress, telling each client to close its connection, and resolves when all are closed. */
  override async close(): Promise<undefined> {
    this.closing = true;
    const server = this.httpServer as Server;
    const closeIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
    try {
      await super.close();
    } finally {
      clearInterval(closeIdle);
    }
    return undefined;
  }
}

/**
 * A server for an Express application, whose own refusals have the usual error body. A request is answered when it can
 * be; a body that nobody has read by then is not read to its end.
 */
export function createHttpServer(express: Express): Server {
  // Node would answer a missing Host header with an empty 400; Express takes such a request as any other.
  const server = createServer({ requireHostHeader: false, ...adoptClasses(express) });
  const serve = express as unknown as (request: IncomingMessage, response: ServerResponse) => void;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // Behind an unread body there may be anything.
    if (isEnding(request.socket)) return;
    // Whether such a body has ended is known only once all that has arrived is read.
    if (request.headers['transfer-encoding'] !== undefined) setImmediate(serve, request, response);
    else serve(request, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(error, socket));
  server.on('connect', (_request: IncomingMessage, socket) => answer(socket, 'BAD_REQUEST', 'CONNECT is not served'));
  // The reader of the body sends the 100, so that clients are refused before they upload a body we would reject.
  for (const asking of ['checkContinue', 'checkExpectation']) {
    server.on(asking, (request, response) => {
      server.emit('request', request, response);
    });
  }
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  return server;
}

/**
 * Has Node make requests and responses with Express's prototypes. Express would else give each its prototype when it
 * arrives, and an object whose prototype changes is slow in everything that is done with it from then on: that took more
 * than half of a request's time (`npm run bench -- http-path`).
 */
function adoptClasses(express: Express): HttpClasses {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
    override writeHead(status: number, message?: string | HeaderFields, headers?: HeaderFields): this {
      if (isTooMuchLeft(this.req)) {
        this.setHeader('Connection', 'close');
        endAfterAnswer(this.req);
      }
      return super.writeHead(status, message as string, headers);
    }
  }
  const prototypes = express as unknown as { request: object; response: object };
  Object.setPrototypeOf(ExpressRequest.prototype, prototypes.request);
  Object.setPrototypeOf(ExpressResponse.prototype, prototypes.response);
  prototypes.request = ExpressRequest.prototype;
  prototypes.response = ExpressResponse.prototype;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

type HeaderFields = OutgoingHttpHeaders | OutgoingHttpHeader[];

interface HttpClasses {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
}

function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnsweringAnother(socket)) {
    socket.destroy();
  } else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    answer(socket, 'REQUEST_TIMEOUT', 'The request took too long to arrive');
  } else if (error.code === 'HPE_HEADER_OVERFLOW') {
    answer(socket, 'BAD_REQUEST', 'The request headers are larger than 16 KiB');
  } else {
    answer(socket, 'BAD_REQUEST', 'The request is not valid HTTP');
  }
}

/** What follows a request still in progress must not be taken for that request's answer. */
function isAnsweringAnother(socket: Duplex): boolean {
  const { _httpMessage: response } = socket as Duplex & { _httpMessage?: ServerResponse | null };
  return response ? response.headersSent || response.req.complete : false;
}

function answer(socket: Duplex, code: ErrorCode, message: string): void {
  const body = JSON.stringify(errorBody(code, message));
  const head = [
    `HTTP/1.1 ${HTTP_STATUS[code]} ${code}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${newRequestId()}`,
    'Connection: close',
  ];
  endWith(socket, [...head, '', body].join('\r\n'));
}

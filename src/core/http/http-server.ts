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

/** Longer than the keep-alive of usual load balancers, so that the balancers close idle connections first. */
const KEEP_ALIVE_MS = 65_000;
const REQUEST_TIMEOUT_MS = 60_000;
const CLOSE_IDLE_EVERY_MS = 100;

/**
 * Express on a server that answers all requests in progress before it closes. The server's own errors (a bad request line,
 * oversized headers, a request that never ends) have the usual error body.
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

  /** Answers requests in progress, makes clients close their connections, and resolves when all are closed. */
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
 * Makes a server for an Express application. The errors of the server itself have the usual error body. The server
 * answers a request as soon as it can, even if the body has not arrived completely. It then reads and drops the rest of
 * the body. If the rest is long, or its length is unknown, it reads only a part of it and closes the connection.
 */
export function createHttpServer(express: Express): Server {
  // Without this option, Node would answer a request without a Host header with an empty 400. Express needs no Host header.
  const server = createServer({ requireHostHeader: false, ...adoptClasses(express) });
  const serve = express as unknown as (request: IncomingMessage, response: ServerResponse) => void;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // After an unread body, later bytes may be the rest of that body and not a request.
    if (isEnding(request.socket)) return;
    // Node must first read all arrived bytes. Before that, a short chunked body looks unfinished, and the server would close the
    // connection after its answer.
    if (request.headers['transfer-encoding'] !== undefined) setImmediate(serve, request, response);
    else serve(request, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(error, socket));
  server.on('connect', (_request: IncomingMessage, socket) => answer(socket, 'BAD_REQUEST', 'CONNECT is not served'));
  // Node would answer 100 (Continue) itself. Here the reader of the body answers it, so that clients do not upload a body that the
  // API rejects.
  for (const event of ['checkContinue', 'checkExpectation']) {
    server.on(event, (request, response) => {
      server.emit('request', request, response);
    });
  }
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  return server;
}

/**
 * Makes Node create requests and responses with Express's prototypes. Otherwise Express changes the prototype of each object,
 * which makes all later access to it slow: that took more than half of a request's time (`npm run bench -- http-path`).
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

/** Whether the connection has an answer to come for an earlier request, or has begun this request's answer. The client would take an error now for the answer to that request. */
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

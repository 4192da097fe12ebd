import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import { ExpressAdapter } from '@nestjs/platform-express';
import { errorBody, HTTP_STATUS, type ErrorCode } from '../errors.js';
import { newRequestId } from '../identifiers.js';

/**
 * Express on a server whose own refusals (a bad request line, oversized headers, a request that never ends) carry
 * the same error body as every other answer.
 */
export class HttpServerAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    // Node would answer a missing Host header with an empty 400; Express takes such a request as any other.
    const server = createServer({ requireHostHeader: false }, this.getInstance<RequestListener>());
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(error, socket));
    server.on('connect', (_request: IncomingMessage, socket) =>
      answer(socket, 'BAD_REQUEST', 'CONNECT is not served'),
    );
    server.on('checkExpectation', (request, response) => {
      server.emit('request', request, response);
    });
    // Longer than the keep-alive of usual load balancers, so that they and not we close idle connections.
    server.keepAliveTimeout = 65_000;
    this.httpServer = server;
  }
}

function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
  } else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    answer(socket, 'REQUEST_TIMEOUT', 'The request took too long to arrive');
  } else if (error.code === 'HPE_HEADER_OVERFLOW') {
    answer(socket, 'BAD_REQUEST', 'The request headers are larger than 16 KiB');
  } else {
    answer(socket, 'BAD_REQUEST', 'The request is not valid HTTP');
  }
}

function answer(socket: Duplex, code: ErrorCode, message: string): void {
  const body = JSON.stringify(errorBody(code, message));
  socket.end(
    [
      `HTTP/1.1 ${HTTP_STATUS[code]} ${code}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${newRequestId()}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

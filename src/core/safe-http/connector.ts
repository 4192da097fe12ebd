import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import ipaddr from 'ipaddr.js';
import type { buildConnector } from 'undici';
import type { ConnectFor } from '../call-agent.js';
import { isLocalName, literalAddress, type AddressPolicy } from './address-policy.js';
import { ConnectionFailure, type HttpFailure } from './http-failure.js';
import type { Resolve } from './resolve.js';

interface ConnectorOptions {
  /** Checked for every address at the moment of connecting. */
  policy: AddressPolicy;
  resolve: Resolve;
  /** Certificate authorities in PEM, instead of Node's own list. */
  ca?: string;
}

/** If a host has several addresses: how long to try one of them before trying the next. */
const NEXT_ADDRESS_AFTER_MS = 500;
const KEEP_ALIVE_PROBE_AFTER_MS = 60_000;

/**
 * Makes undici's connections. Resolves the name once, refuses the name unless all its addresses are allowed, and connects to one
 * of these addresses. So a name server cannot change its answer between check and connection (DNS rebinding). Fails only with
 * {@link ConnectionFailure}. When the call's signal is aborted, connecting ends too.
 */
export function createConnector(options: ConnectorOptions): ConnectFor {
  return (target, callback, signal) => {
    open(target, options, signal).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

async function open(
  { hostname, protocol, port }: buildConnector.Options,
  { policy, resolve, ca }: ConnectorOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const addresses = await permittedAddresses(hostname, policy, resolve, signal);
  const secure = protocol === 'https:';
  const tcp = await untilConnected('connect', signal, tcpTo(addresses, Number(port) || (secure ? 443 : 80)), 'connect');
  return secure ? untilConnected('tls', signal, tlsOver(tcp, hostname, ca), 'secureConnect') : tcp;
}

async function permittedAddresses(
  hostname: string,
  policy: AddressPolicy,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<string[]> {
  const literal = literalAddress(hostname);
  if (literal === null && isLocalName(hostname)) throw new ConnectionFailure('refused_address');
  const addresses = literal === null ? await resolved(hostname, resolve, signal) : [literal];
  if (!addresses.every((address) => policy.permits(address))) throw new ConnectionFailure('refused_address');
  return addresses;
}

async function resolved(hostname: string, resolve: Resolve, signal: AbortSignal): Promise<string[]> {
  const addresses = await resolve(hostname, signal).catch((cause: unknown) => {
    throw new ConnectionFailure(signal.aborted ? 'timeout' : 'dns', { cause });
  });
  if (addresses.length === 0) throw new ConnectionFailure('dns');
  return addresses;
}

/** Connects to the given addresses without a lookup. Node tries several one after the other (RFC 8305). */
function tcpTo(addresses: string[], port: number): Socket {
  const family = (address: string): 4 | 6 => (ipaddr.IPv6.isValid(address) ? 6 : 4);
  return connectTcp({
    host: addresses.length === 1 ? addresses[0] : 'resolved.invalid',
    port,
    lookup: (_hostname, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: family(address) })),
      ),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_AFTER_MS,
  });
}

function tlsOver(socket: Socket, hostname: string, ca: string | undefined): Socket {
  const literal = literalAddress(hostname);
  // SNI and certificates have names without a trailing dot. An address has no SNI.
  const name = hostname.replace(/\.+$/, '');
  return connectTls({
    socket,
    host: literal ?? name,
    ...(literal === null ? { servername: name } : {}),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  });
}

/** Waits until a socket is connected. If it fails, or the signal is aborted before, destroys the socket. */
function untilConnected(failure: HttpFailure, signal: AbortSignal, socket: Socket, connected: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      signal.removeEventListener('abort', fail);
      socket.destroy();
      reject(new ConnectionFailure(signal.aborted ? 'timeout' : failure, { cause }));
    };
    // This listener is never removed: undici adds its own only a moment later, and an error without a listener ends the process.
    socket.on('error', fail);
    socket.once('close', fail);
    signal.addEventListener('abort', fail);
    if (signal.aborted) fail(signal.reason);
    socket.once(connected, () => {
      socket.off('close', fail);
      signal.removeEventListener('abort', fail);
      resolve(socket);
    });
  });
}

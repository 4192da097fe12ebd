/** The address of a Redis server or a sentinel. */
interface RedisNode {
  host: string;
  port: number;
}

/** The content of REDIS_URL. */
export interface RedisAddress {
  /**
   * - `server`: an address that always leads to the server for writes.
   * - `sentinel`: addresses of sentinels, which report the address of the server for writes.
   * - `cluster`: addresses of some members of a cluster, which report those of the other members.
   */
  kind: 'server' | 'sentinel' | 'cluster';
  nodes: RedisNode[];
  /** The name of the servers that the sentinels watch; empty if `kind` is not `sentinel`. */
  name: string;
  database: number;
  username: string | null;
  password: string | null;
  /** The password of the sentinels themselves. */
  sentinelPassword: string | null;
  isTls: boolean;
}

const SHAPE = /^redis(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^/?#@]*)@)?([^/?#@]+)(\/[^?#]*)?(\?[^#]*)?$/;
const NODE = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\],]+))(?::(\d{1,5}))?$/;
const DEFAULT_PORTS = { server: 6379, sentinel: 26_379, cluster: 6379 } as const;

const UNREADABLE = "can't be read: in a user or password, special characters are written as %40 and the like";

/** @throws Error. Its message continues a sentence that begins with the variable's name, and contains no part of the URL. */
export function readRedisUrl(url: string): RedisAddress {
  const [, tls, kind, credentials = '', nodes = '', path = '', query = ''] = SHAPE.exec(url) ?? [];
  if (nodes === '') throw new Error(UNREADABLE);
  const address = { ...readPath((kind ?? 'server') as RedisAddress['kind'], path), isTls: tls === 's' };
  const [username = '', ...password] = credentials.split(':');
  return {
    ...address,
    nodes: readNodes(address.kind, nodes),
    username: decoded(username),
    password: decoded(password.join(':')),
    sentinelPassword: new URLSearchParams(query).get('sentinel_password'),
  };
}

function readPath(kind: RedisAddress['kind'], path: string): Pick<RedisAddress, 'kind' | 'name' | 'database'> {
  const [first = '', second = ''] = path.slice(1).split('/');
  const [name, number] = kind === 'sentinel' ? [first, second] : ['', first];
  if (kind === 'sentinel' && name === '')
    throw new Error('must name what the sentinels watch, such as redis+sentinel://one:26379,two:26379/mymaster');
  if (!/^\d{0,4}$/.test(number)) throw new Error('must end with the number of a database, or with none');
  if (kind === 'cluster' && Number(number) !== 0) throw new Error('names a database, and a cluster has only one');
  return { kind, name, database: Number(number) };
}

function readNodes(kind: RedisAddress['kind'], text: string): RedisNode[] {
  const nodes = text.split(',').map((node) => {
    const [, ipv6, host = ipv6, port = DEFAULT_PORTS[kind]] = NODE.exec(node.trim()) ?? [];
    if (host === undefined || Number(port) > 65_535) throw new Error('has a host that can’t be read');
    return { host, port: Number(port) };
  });
  if (kind === 'server' && nodes.length > 1)
    throw new Error(
      'names several hosts: give one that always leads to the server that takes writes, or say what they are: ' +
        'redis+sentinel://one:26379,two:26379/mymaster or redis+cluster://one:6379,two:6379',
    );
  return nodes;
}

function decoded(text: string): string | null {
  try {
    return text === '' ? null : decodeURIComponent(text);
  } catch {
    throw new Error(UNREADABLE);
  }
}

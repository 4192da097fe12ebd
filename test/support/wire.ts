import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP connection to a server that a test can cut, as if the network or the server failed. */
export class Wire {
  /** The ports of its connections to the server, also of those that have ended. */
  readonly ports: number[] = [];
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private readonly silent = new WeakSet<Socket>();
  private isCut = false;
  private isSilent = false;
  private watch: { isIt: (bytes: Buffer) => boolean; cut: () => void } | undefined;

  /** @param target such as `postgres://user:password@127.0.0.1:5432/name`. */
  constructor(private readonly target: string) {}

  /** The target's URL through this wire. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(((this.server as Server).address() as AddressInfo).port);
    return url.href;
  }

  async listen(): Promise<this> {
    this.server = createServer((client) => this.join(client));
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve));
    return this;
  }

  /** Ends every connection, and every new one at once. */
  cut(done: () => void = () => undefined): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
    done();
  }

  /**
   * From now on, existing connections carry no bytes, and neither end notices, as after a failover.
   * @param newOnes whether new connections work, or are silent, too, until the wire is restored.
   */
  silence(newOnes: 'work' | 'are silent' = 'work'): void {
    for (const socket of this.sockets) this.silent.add(socket);
    this.isSilent = newOnes === 'are silent';
  }

  /** New connections work again; silent ones stay silent. */
  restore(): void {
    this.isCut = false;
    this.isSilent = false;
  }

  /**
   * Cuts the wire after the client sent bytes that pass the check. They still reach the server, but the server's answer does not
   * reach the client. @returns a promise that resolves when the wire is cut.
   */
  cutAfterSending(isIt: (bytes: Buffer) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.watch = { isIt, cut: resolve };
    });
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server?.close(resolve));
  }

  private join(client: Socket): void {
    if (this.isCut) return void client.destroy();
    const { hostname, port } = new URL(this.target);
    const server = connect(Number(port), hostname);
    server.on('connect', () => this.ports.push(server.localPort ?? 0));
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(from);
      if (this.isSilent) this.silent.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
    server.on('data', (bytes) => void (this.isCut || this.silent.has(server) || client.write(bytes)));
    client.on('data', (bytes) => {
      if (this.silent.has(client)) return;
      const { watch } = this;
      if (watch?.isIt(bytes)) {
        this.watch = undefined;
        this.isCut = true;
        server.write(bytes, () => setTimeout(() => this.cut(watch.cut), 100));
      } else if (!this.isCut) {
        server.write(bytes);
      }
    });
  }
}

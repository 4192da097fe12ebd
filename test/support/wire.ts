import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP wire to a server, which a test can cut: as if the network, or the server, went away. */
export class Wire {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private readonly silent = new WeakSet<Socket>();
  private isCut = false;
  private isSilent = false;
  private watch: { isIt: (bytes: Buffer) => boolean; cut: () => void } | undefined;

  /** @param target such as `postgres://user:password@127.0.0.1:5432/name`. */
  constructor(private readonly target: string) {}

  /** The target's URL by way of this wire. */
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
   * From now on the existing connections carry nothing, and neither end learns of it, as after a failover.
   * @param newOnes whether those that are opened from now on work, or are as silent until the wire is restored.
   */
  silence(newOnes: 'work' | 'are silent' = 'work'): void {
    for (const socket of this.sockets) this.silent.add(socket);
    this.isSilent = newOnes === 'are silent';
  }

  /** New connections work again; those that were silenced stay so. */
  restore(): void {
    this.isCut = false;
    this.isSilent = false;
  }

  /**
   * Cuts the wire when the client sends what the check is looking for: it still reaches the server, the server's
   * answer never reaches the client. @returns a promise of the moment when it is cut.
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

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

/** A program that runs on a machine while the machine is on. */
export interface Service {
  name: string;
  command: string[];
  /** The user of the program; root by default. */
  user?: 'postgres';
  env?: NodeJS.ProcessEnv;
}

export interface MachineOptions {
  name: string;
  address: string;
  /** Folders of the machine, each on its own disk, with the size in MB. */
  disks: Record<string, number>;
  /** The folder of its services' logs. */
  logs: string;
}

type Running = Service & { child: ChildProcess | null };

const BRIDGE = 'topup';
const run = promisify(execFile);

/** A firewall that drops all traffic, except within the machine. */
const CUT = ['input', 'output']
  .flatMap((hook) => [
    `add chain inet cut ${hook} { type filter hook ${hook} priority 0; policy drop; }`,
    `add rule inet cut ${hook} ${hook === 'input' ? 'iif' : 'oif'} lo accept`,
  ])
  .reduce((rules, rule) => `${rules}; ${rule}`, 'add table inet cut');

/** The network of the machines. This process has the address 10.0.0.1 there. */
export async function layNetwork(address: string): Promise<void> {
  await run('ip', ['link', 'set', 'lo', 'up']);
  await run('ip', ['link', 'add', BRIDGE, 'type', 'bridge']);
  await run('ip', ['addr', 'add', `${address}/24`, 'dev', BRIDGE]);
  await run('ip', ['link', 'set', BRIDGE, 'up']);
}

/** A simulated machine: a network namespace with an address, and its own disks. Memory and CPU are shared. */
export class Machine {
  private readonly services = new Map<string, Running>();

  private constructor(
    private readonly options: MachineOptions,
    private readonly holder: ChildProcess,
    private readonly network: string,
  ) {}

  static async boot(options: MachineOptions): Promise<Machine> {
    const mounts = Object.entries(options.disks).map(
      ([folder, megabytes]) => `mkdir -p ${folder} && mount -t tmpfs -o size=${megabytes}m,mode=755 disk ${folder}`,
    );
    const script = [
      ...mounts,
      'mkdir -p /run/postgresql && chmod 777 /run/postgresql',
      'echo ready',
      'exec sleep infinity',
    ];
    const holder = spawn('unshare', ['--net', '--mount', 'sh', '-ec', script.join('\n')], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const [said] = (await once(holder.stdout, 'data')) as [Buffer];
    if (!String(said).includes('ready')) throw new Error(`machine ${options.name} did not start: ${String(said)}`);
    const machine = new Machine(options, holder, readlinkSync(`/proc/${holder.pid}/ns/net`));
    await machine.connect();
    return machine;
  }

  get name(): string {
    return this.options.name;
  }

  get address(): string {
    return this.options.address;
  }

  /** Writes a file for the machine's programs. */
  write(file: string, text: string, { owner = 0, mode = 0o644 } = {}): void {
    const place = this.placeOf(file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, text, { mode });
    chmodSync(place, mode);
    chownSync(place, owner, owner);
  }

  /** The path of a machine's file for this process. */
  placeOf(file: string): string {
    return `/proc/${this.holder.pid}/root${file}`;
  }

  /** Starts a service, now and each time that the machine is switched on. */
  start(service: Service): void {
    this.services.set(service.name, { ...service, child: null });
    this.spawn(service.name);
  }

  /** Starts services that have ended. */
  startAgain(names = [...this.services.keys()]): void {
    for (const name of names) if (!this.isRunning(name)) this.spawn(name);
  }

  isRunning(name: string): boolean {
    const child = this.services.get(name)?.child;
    return child !== null && child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Sends a signal to one service. @param awaited whether to wait for the end of the service. */
  async signal(name: string, signal: NodeJS.Signals, awaited = false): Promise<void> {
    const child = this.services.get(name)?.child;
    if (!child || !this.isRunning(name)) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    if (awaited) await ended;
  }

  /** Stops all programs, but keeps their connections, like a paused virtual machine. */
  freeze(): void {
    this.signalAll('SIGSTOP');
  }

  thaw(): void {
    this.signalAll('SIGCONT');
  }

  /** Takes it off the network. */
  async cut(): Promise<void> {
    await this.inside(['nft', CUT]);
  }

  async join(): Promise<void> {
    await this.inside(['nft', 'delete', 'table', 'inet', 'cut']);
  }

  /** Cuts its power: its programs end at once, and no connection is closed. */
  async powerOff(): Promise<void> {
    await this.cut();
    for (let left = 1; left > 0;) left = this.signalAll('SIGKILL');
  }

  async powerOn(): Promise<void> {
    await this.join();
    this.startAgain();
  }

  /** Runs a program on it. @returns its output. */
  async run(command: string[], user?: 'postgres'): Promise<string> {
    return this.inside([...asUser(user), ...command]);
  }

  private async inside(command: string[]): Promise<string> {
    return (await run('nsenter', [...this.entered, ...command], { maxBuffer: 50_000_000 })).stdout;
  }

  private get entered(): string[] {
    return ['--target', String(this.holder.pid), '--net', '--mount', '--'];
  }

  private async connect(): Promise<void> {
    const end = `t-${this.name}`;
    const { address, holder } = { address: this.address, holder: String(this.holder.pid) };
    await run('ip', ['link', 'add', end, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', holder]);
    await run('ip', ['link', 'set', end, 'master', BRIDGE, 'up']);
    await this.run(['ip', 'link', 'set', 'lo', 'up']);
    await this.run(['ip', 'addr', 'add', `${address}/24`, 'dev', 'eth0']);
    await this.run(['ip', 'link', 'set', 'eth0', 'up']);
  }

  private spawn(name: string): void {
    const service = this.services.get(name);
    if (!service) throw new Error(`machine ${this.name} has no service ${name}`);
    const log = openSync(path.join(this.options.logs, `${this.name}-${name}.log`), 'a');
    const child = spawn('nsenter', [...this.entered, ...asUser(service.user), ...service.command], {
      env: { PATH: process.env.PATH, LANG: 'C.UTF-8', ...service.env },
      cwd: '/',
      stdio: ['ignore', log, log],
      // Only this process gets Ctrl-C. The others end with the namespace.
      detached: true,
    });
    closeSync(log);
    service.child = child;
  }

  /** @returns the number of processes. */
  private signalAll(signal: NodeJS.Signals): number {
    const pids = this.pids();
    for (const pid of pids) {
      try {
        process.kill(pid, signal);
      } catch {
        // The process has just ended.
      }
    }
    return pids.length;
  }

  /** The processes in its network namespace. */
  private pids(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== this.holder.pid)
      .filter((name) => networkOf(name) === this.network)
      .map(Number);
  }
}

function networkOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return null;
  }
}

const asUser = (user: 'postgres' | undefined): string[] =>
  user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', '--'];

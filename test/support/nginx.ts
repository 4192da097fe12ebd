import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectRoot } from '../../src/core/project-root.js';
import { eventually } from './eventually.js';
import type { Program } from './fetched-program.js';
import { keptPort } from './kept-port.js';

export interface RunningNginx {
  url: string;
  /** The memory of its processes, with shared memory counted once. */
  memoryMiB(): number;
  /** Its log lines. */
  log(): string;
  stop(): Promise<void>;
}

/** The addresses that the container network would find for the API's name. It tries them in this order, without a memory of failures. */
const replicasConf = (addresses: string[]): string => {
  const weights = addresses.map((_, index) => 10 ** (3 * (addresses.length - 1 - index)));
  const servers = addresses.map((each, index) => `server ${new URL(each).host} weight=${weights[index]} max_fails=0;`);
  return `upstream replicas { ${servers.join(' ')} }\n`;
};

/**
 * The nginx of `deploy/nginx`, with all of its files, but with other paths and ports, and without a container.
 * @param api the addresses of the API's replicas. It tries the first one first.
 * @param cells the text of `cells/cells.conf`.
 * @param trustedProxies the proxies whose X-Forwarded-For it trusts.
 */
export async function startNginx(
  { program, env }: Program,
  { api, cells, trustedProxies = '' }: { api: string | string[]; cells: string; trustedProxies?: string },
): Promise<RunningNginx> {
  const directory = mkdtempSync(path.join(tmpdir(), 'topup-nginx-'));
  // If root starts it, its workers have another user.
  chmodSync(directory, 0o755);
  const port = await keptPort();
  const healthPort = await keptPort([port]);
  const files = path.join(directory, 'etc');
  cpSync(path.join(projectRoot, 'deploy/nginx'), files, { recursive: true });
  for (const name of ['nginx.conf', 'start.sh']) {
    const text = readFileSync(path.join(files, name), 'utf8')
      .replaceAll('/tmp/', `${directory}/`)
      .replaceAll('/etc/topup', files)
      .replaceAll('listen 8080', `listen 127.0.0.1:${port}`)
      .replaceAll('127.0.0.1:8081', `127.0.0.1:${healthPort}`)
      .replace('  map $http_x_api_key', `  ${typeof api === 'string' ? '' : replicasConf(api)}  map $http_x_api_key`)
      .replaceAll('http://api:3000', typeof api === 'string' ? api : 'http://replicas');
    writeFileSync(path.join(files, name), text);
  }
  writeFileSync(path.join(files, 'cells', 'cells.conf'), cells);
  // It opens /dev/stdout by its name, which works only if that is a file.
  const logFile = path.join(directory, 'log');
  const log = openSync(logFile, 'w');
  const child = spawn('sh', [path.join(files, 'start.sh')], {
    env: {
      ...env,
      TRUSTED_PROXIES: trustedProxies,
      PATH: `${path.dirname(program)}:${process.env.PATH ?? ''}`,
    },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGQUIT');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error('nginx has ended');
        return fetch(`http://127.0.0.1:${healthPort}/`).then(
          ({ status }) => status,
          () => 0,
        );
      },
      (status) => status === 200,
    );
  } catch (error) {
    const said = readFileSync(logFile, 'utf8');
    await stop();
    throw new Error(`nginx did not start: ${said}`, { cause: error });
  }
  const memoryMiB = (): number => memoryMiBOf(child.pid ?? 0);
  return { url: `http://127.0.0.1:${port}`, memoryMiB, log: () => readFileSync(logFile, 'utf8'), stop };
}

function memoryMiBOf(pid: number): number {
  const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const kibibytes = [pid, ...workers].map((each) => {
    const pss = /^Pss: +(\d+) kB/m.exec(readFileSync(`/proc/${each}/smaps_rollup`, 'utf8'))?.[1];
    return Number(pss);
  });
  return kibibytes.reduce((sum, each) => sum + each) / 1_024;
}

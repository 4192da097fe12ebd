import { parseArgs } from 'node:util';
import { StartupError } from './common/config.js';
import { runMain, serveUntilSignalled, type Simulation } from './common/process.js';
import { simulate } from './common/simulator.js';

/** Each is loaded only when it is started, because a process simulates one vendor. */
const VENDORS: Record<string, (env: NodeJS.ProcessEnv) => Promise<Simulation>> = {
  digiflazz: async (env) => simulate((await import('./digiflazz/simulator.js')).DIGIFLAZZ, env),
  lapakgaming: async (env) => simulate((await import('./lapakgaming/simulator.js')).LAPAKGAMING, env),
  wepay: async (env) => simulate((await import('./wepay/simulator.js')).WEPAY, env),
  seagm: async (env) => simulate((await import('./seagm/simulator.js')).SEAGM, env),
  easyslip: async (env) => simulate((await import('./easyslip/vendor.js')).EASYSLIP, env),
  opn: async (env) => simulate((await import('./opn/vendor.js')).OPN, env),
};

const USAGE = `usage: npm run simulate -- ${Object.keys(VENDORS).join('|')} [--port N] [--state DIR]`;

/** Runs the simulator that the command line names, until SIGTERM or SIGINT. */
runMain(async () => {
  const { vendor, env } = readArguments(process.argv.slice(2));
  serveUntilSignalled(await vendor({ ...process.env, ...env }));
});

function readArguments(args: string[]) {
  const { positionals, values } = parsed(args);
  const [name, ...others] = positionals;
  const vendor = VENDORS[name ?? ''];
  if (vendor === undefined || others.length > 0) throw new StartupError(USAGE);
  return {
    vendor,
    env: {
      ...(values.port !== undefined && { SIMULATOR_PORT: values.port }),
      ...(values.state !== undefined && { SIMULATOR_DATA_DIR: values.state }),
    },
  };
}

function parsed(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { port: { type: 'string' }, state: { type: 'string' } },
    });
  } catch (error) {
    throw new StartupError(`${(error as Error).message}\n${USAGE}`);
  }
}

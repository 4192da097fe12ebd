import { parseArgs } from 'node:util';
import { StartupError } from './common/config.js';
import { runMain, serveUntilSignalled, type Simulation } from './common/process.js';

/** Starts a vendor's simulator as its environment variables say. */
type Start = (env: NodeJS.ProcessEnv) => Promise<Simulation>;

const VENDORS: Record<string, () => Promise<{ simulate: Start }>> = {
  digiflazz: () => import('./digiflazz/simulate.js'),
  lapakgaming: () => import('./lapakgaming/simulate.js'),
  wepay: () => import('./wepay/simulate.js'),
  seagm: () => import('./seagm/simulate.js'),
};

const USAGE = `usage: npm run simulate -- ${Object.keys(VENDORS).join('|')} [--port N] [--state DIR]`;

/** Runs the simulator that the command line names, until SIGTERM or SIGINT. */
runMain(async () => {
  const { vendor, env } = readArguments(process.argv.slice(2));
  const { simulate } = await vendor();
  serveUntilSignalled(await simulate({ ...process.env, ...env }));
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

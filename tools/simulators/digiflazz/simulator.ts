import type { Server } from 'node:http';
import { StartupError } from '../common/config.js';
import { sendJson } from '../common/http.js';
import { listen, stop, urlOf } from '../common/listener.js';
import type { DigiflazzConfig } from './config.js';
import { Control } from './control.js';
import type { Account } from './model.js';
import { Scheduler } from './scheduler.js';
import { Invalid } from './shapes.js';
import { Store } from './store.js';
import { answerVendor } from './vendor.js';

/** The vendor on a port of its own. The base URL of its interface is `url` and `/v1`. */
export interface DigiflazzSimulator {
  readonly url: string;
  readonly server: Server;
  readonly account: () => Account;
  /** Calls back no more, and closes the state on disk; the server must have stopped. */
  readonly close: () => void;
  /** Stops the server, then closes. */
  readonly stop: () => Promise<void>;
}

/** Starts the simulator. @throws StartupError when port, directory or set-up can't be used. */
export async function startDigiflazz(config: DigiflazzConfig): Promise<DigiflazzSimulator> {
  // The port comes first: a simulator started twice by mistake must not touch the state of the one running.
  const server = await listen(config.host, config.port);
  try {
    const store = new Store(config.dataDir);
    const scheduler = new Scheduler(store);
    const control = new Control(store, scheduler);
    if (store.isNew) control.setUp(config.account, config.readings);
    attach(server, store, scheduler, control);
    scheduler.arm();
    const close = (): void => {
      scheduler.stop();
      store.close();
    };
    return {
      ...{ url: urlOf(server), server, account: () => store.account },
      ...{ close, stop: () => stop(server).then(close) },
    };
  } catch (error) {
    server.close();
    const what =
      error instanceof Invalid ? 'cannot be set up so' : `cannot keep its state in ${config.dataDir}`;
    throw new StartupError(`${what}: ${(error as Error).message}`);
  }
}

function attach(server: Server, store: Store, scheduler: Scheduler, control: Control): void {
  server.on('request', (request, response) => {
    const isControl = /^(\/v1)?\/_sim\//.test(request.url ?? '');
    const answered = isControl
      ? control.answer(request).then((value) => sendJson(response, 200, value))
      : answerVendor(store, scheduler, request, response);
    answered.catch((error: unknown) => {
      if (error instanceof Invalid) return sendJson(response, 400, { message: error.message });
      // A client that goes away in the middle of its request needs neither an answer nor an entry in the log.
      if (response.destroyed) return;
      console.error('simulator: a request failed:', error);
      sendJson(response, 500, { message: 'the simulator failed' });
    });
  });
}

import type { ChildProcess } from 'node:child_process';
import { startHelper } from './child.js';

export interface Arrival {
  id: string;
  /** Milliseconds since 1970, with fractions. */
  at: number;
}

/** The receiver's process, with a way to wait for deliveries. */
export class ReceiverProcess {
  private listener: (arrival: Arrival) => void = () => undefined;

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {
    child.on('message', (message: Arrival) => this.listener(message));
  }

  static async start(): Promise<ReceiverProcess> {
    const { child, url } = await startHelper('support/receiver');
    return new ReceiverProcess(child, url);
  }

  onArrival(listener: (arrival: Arrival) => void): void {
    this.listener = listener;
  }

  /** Resolves with the arrivals once there are `count` of them. */
  collect(count: number): Promise<Arrival[]> {
    const arrivals: Arrival[] = [];
    return new Promise((resolve) => {
      this.onArrival((arrival) => {
        arrivals.push(arrival);
        if (arrivals.length === count) resolve(arrivals);
      });
    });
  }

  stop(): void {
    this.child.disconnect();
  }
}

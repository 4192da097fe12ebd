import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ReadReplica } from './read-replica.js';

/** For processes that run on: how far the replica is behind is known before the first read, and measured without one. */
@Injectable()
export class ReplicaWatch implements OnApplicationBootstrap {
  constructor(private readonly replica: ReadReplica) {}

  onApplicationBootstrap(): void {
    this.replica.watch();
  }
}

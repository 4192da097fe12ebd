import { Module } from '@nestjs/common';
import { NextPartitionsRepository } from './next-partitions.repository.js';
import { NextPartitionsService } from './next-partitions.service.js';
import { OldPartitionsRepository } from './old-partitions.repository.js';
import { OldPartitionsService } from './old-partitions.service.js';

/** Tasks of workers that create and drop partitions. */
@Module({
  providers: [NextPartitionsRepository, NextPartitionsService, OldPartitionsRepository, OldPartitionsService],
  exports: [OldPartitionsRepository],
})
export class PartitionTasksModule {}

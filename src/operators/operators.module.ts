import { Module } from '@nestjs/common';
import { OperatorsRepository } from './operators.repository.js';
import { OperatorsService } from './operators.service.js';

/** The accounts, as the command line needs them: without sessions, and without a key for secrets. */
@Module({
  providers: [OperatorsRepository, OperatorsService],
  exports: [OperatorsRepository, OperatorsService],
})
export class OperatorsModule {}

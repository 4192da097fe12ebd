import { Module } from '@nestjs/common';
import { ReadinessRepository } from './readiness.repository.js';
import { ReadinessService } from './readiness.service.js';

@Module({ providers: [ReadinessRepository, ReadinessService], exports: [ReadinessService] })
export class HealthModule {}

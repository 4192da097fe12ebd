import type { components } from '../../schema';

export type Reversal = components['schemas']['ReversalDto'];

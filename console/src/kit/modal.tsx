import type { ModalProps } from '@mantine/core';
import { lazyPart } from './lazy-part';

/** A dialog. Its code is a third of a page's size limit, so the browser loads it when the first dialog opens. */
export const Modal = lazyPart<ModalProps>(async () => (await import('./modal-part')).default);

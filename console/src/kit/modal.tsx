import type { ModalProps } from '@mantine/core';
import { lazy, Suspense, type ReactNode } from 'react';

const Part = lazy(() => import('./modal-part'));

/** A dialog. Its code is a third of a page's size limit, so the browser loads it when the first dialog opens. */
export function Modal(props: ModalProps): ReactNode {
  return (
    <Suspense fallback={null}>
      <Part {...props} />
    </Suspense>
  );
}

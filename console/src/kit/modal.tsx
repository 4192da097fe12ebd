import type { ModalProps } from '@mantine/core';
import { lazy, Suspense, type ReactNode } from 'react';

const Part = lazy(() => import('./modal-part'));

/** A dialog above the page. Its code is a third of what a page may weigh, so that it comes when one is first opened. */
export function Modal(props: ModalProps): ReactNode {
  return (
    <Suspense fallback={null}>
      <Part {...props} />
    </Suspense>
  );
}

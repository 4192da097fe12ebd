import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useId, type ReactNode } from 'react';
import { usedEscapes } from './escape';
import { useFocusReturn } from './focus-return';
import { createStore, useStore } from './store';

/** The open dialogs, the uppermost last. */
const openDialogs = createStore<readonly string[]>([]);

/** Each dialog of Mantine listens to the whole window. Without this, Escape would close all dialogs at once. */
export default function ModalPart({ closeOnEscape = true, ...props }: ModalProps): ReactNode {
  const isUppermost = useIsUppermost();
  // Mantine returns the focus only when `opened` changes, but our dialogs are unmounted instead.
  useFocusReturn();
  return <Modal {...props} closeOnEscape={closeOnEscape && isUppermost} __handledEscapeEvents={usedEscapes} />;
}

function useIsUppermost(): boolean {
  const id = useId();
  useEffect(() => {
    openDialogs.set([...openDialogs.get(), id]);
    return () => openDialogs.set(openDialogs.get().filter((each) => each !== id));
  }, [id]);
  return useStore(openDialogs).at(-1) === id;
}

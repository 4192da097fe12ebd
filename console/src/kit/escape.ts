/**
 * The presses of Escape that closed a dialog. A panel below the dialog hears them when the dialog is already gone, and
 * must ignore them.
 */
export const usedEscapes = new WeakSet<KeyboardEvent>();

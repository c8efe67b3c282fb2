import { type ReadonlySignal, signal } from '@preact/signals';

const media = matchMedia('(max-width: 699px)'); // phone.css says the same
const matches = signal(media.matches);
media.addEventListener('change', () => void (matches.value = media.matches));

/** Whether the window is that of a phone, now and whenever that changes. */
export const isPhone: ReadonlySignal<boolean> = matches;

/** The least height and width of what fingers press, in pixels. */
export const FINGER = 44;

/** The run panel on a phone: a sheet from below over the page, which holds the focus until it is closed. */
import { drag } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { usePage } from '../state/page';
import { addStyles, IconButton } from '../views/parts';
import styles from './sheet.css?inline';

const FAR = 96; // px that a finger draws the sheet down before it closes
const FLICK = { px: 24, ms: 250 }; // so far, so fast: closes, too
const SLOP = 6; // px

addStyles(styles);

/** What the sheet covers: neither a finger nor a key nor a screen reader gets there. */
const COVERED = '.ih-header, .ih-main, .ih-footer';

export function Sheet({ children }: { readonly children: ComponentChildren }) {
  const page = usePage();
  const t = page.t.value;
  const box = useRef<HTMLDivElement>(null);
  const down = useSignal(0);
  const close = (): void => void (page.sidebarOpen.value = false);
  useLayoutEffect(() => {
    const covered = [...document.querySelectorAll<HTMLElement>(COVERED)];
    for (const part of covered) part.inert = true;
    box.current?.focus(); // the sheet, not its field: that would open the keyboard of the phone
    return () => {
      for (const part of covered) part.inert = false;
      const { activeElement: active } = document;
      if (active === document.body || box.current?.contains(active))
        document.querySelector<HTMLElement>('.ih-header [data-action="runs"]')?.focus();
    };
  }, []);
  return (
    <>
      <div class="ih-sheet-backdrop" data-testid="sheet-backdrop" onClick={close} />
      <div
        ref={box}
        class="ih-sidebar ih-sheet"
        role="dialog"
        aria-modal="true"
        aria-label={t('runs')}
        tabIndex={-1}
        style={down.value > 0 ? { transform: `translateY(${down.value}px)` } : {}}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.defaultPrevented) return;
          event.preventDefault();
          close();
        }}
      >
        <div
          class="ih-sheet-head"
          onPointerDown={(event) => {
            const begun = event.timeStamp;
            drag(event, {
              slop: SLOP,
              move: (_, _dx, dy) => (down.value = Math.max(0, dy)),
              end: (released, moved) => {
                const isFlick = down.value > FLICK.px && released.timeStamp - begun < FLICK.ms;
                if (moved && (down.value > FAR || isFlick)) close();
                else down.value = 0;
              },
              cancel: () => (down.value = 0),
            });
          }}
        >
          <i class="ih-sheet-handle" aria-hidden="true" />
          <h2>{t('runs')}</h2>
          <IconButton icon="close" label={t('close')} data-action="close-sheet" onClick={close} />
        </div>
        {children}
      </div>
    </>
  );
}

import { rendered } from '@insight-host/kit/markdown';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface ProseProps {
  readonly text: string;
  readonly label: string;
}

/** Markdown, sanitised. */
export function Prose({ text, label }: ProseProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.replaceChildren(rendered(text)), [text]);
  return <div ref={place} class="prose markdown" tabIndex={0} role="group" aria-label={label} />;
}

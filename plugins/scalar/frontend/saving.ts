/** Saves answers of the host as files. */

const LONGEST = 8000; // characters of a URL that proxies still take
let count = 0; // of frames: a form sent to the frame of another would cancel the other's answer

/** Whether a link can have this address. */
export function fitsLink(href: string): boolean {
  return href.length <= LONGEST;
}

/**
 * Has the browser save the answer to these parameters, sent as a form to a hidden frame. The host names the file
 * (`download=NAME`). Only an answer that is not saved is shown in the frame: then `failed` gets the reason, empty if
 * there was no answer.
 */
export function saveByForm(href: string, failed: (reason: string) => void): void {
  const { origin, pathname, searchParams } = new URL(href);
  const frame = document.createElement('iframe');
  Object.assign(frame, { name: `scalar-saving-${(count += 1)}`, hidden: true });
  frame.addEventListener('load', () => {
    const { contentDocument: shown } = frame; // null for the browser's own page that says why there is no answer
    if (shown?.URL === 'about:blank') return; // the frame as it was made
    failed(reasonOf(shown?.body?.textContent ?? ''));
    frame.remove();
  });
  const form = document.createElement('form');
  Object.assign(form, { method: 'post', action: origin + pathname, target: frame.name });
  for (const [name, value] of searchParams)
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
  document.body.append(frame, form);
  form.submit();
  form.remove();
}

function reasonOf(text: string): string {
  try {
    return String((JSON.parse(text) as { readonly error?: unknown }).error ?? text);
  } catch {
    return text.trim();
  }
}

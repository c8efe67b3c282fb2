import { expect, it } from 'vitest';
import { guard } from './guard';

it('explains an empty page, and leaves one that runs alone', () => {
  const page = Object.assign(document.createElement('div'), { id: 'page' });
  document.body.append(page);
  guard();
  page.append('running');
  dispatchEvent(new ErrorEvent('error', { message: 'later' }));
  expect(page.textContent).toBe('running');
  page.replaceChildren();
  dispatchEvent(new ErrorEvent('error', { message: 'bare specifier' }));
  expect(page.textContent).toContain('Content-Security-Policy');
  expect(page.textContent).toContain('bare specifier');
});

import type {Report} from '../../machines/policies/report/report.ts';
import {reportHtml} from '../../ui/report/report-html.ts';
import {reportMarkdown} from '../../ui/report/report-markdown.ts';
import type {Surface} from '../context.ts';
import {printableJson} from '../terminal/printable-json.ts';
import {reportText} from './report-text.ts';

export function renderReport(
  report: Report,
  format: 'text' | 'md' | 'html' | 'json',
  now: string,
  surface: Surface,
): string {
  switch (format) {
    case 'text':
      return reportText(report, now, surface);
    case 'md':
      return reportMarkdown(report, now);
    case 'html':
      return reportHtml(report, now);
    case 'json':
      return printableJson(report, 2);
  }
}

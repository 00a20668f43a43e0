import { NewSourcePage } from './source-form.tsx';

export default function NewZendeskPage() {
  return <NewSourcePage type="zendesk" />;
}

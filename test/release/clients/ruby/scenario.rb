# frozen_string_literal: true

# Runs the scenario in Ruby: boot, consent, a streamed answer, publishing a translation, an export page, errors.

require 'guidepost'
require 'uri'

# The operations of the scenario, each a step that returns its result.
class Scenario
  STEPS = %i[boot consent stream translation export errors].freeze
  UNKNOWN_ARTICLE = 'art_01kakv2fxse7wtg6x5r0h8rjbm'

  def initialize
    @url = env('URL')
    @origin = env('ORIGIN')
    @tenant = env('TENANT_ID')
    @conversation = "conv-scenario-#{Process.pid}"
  end

  def run
    STEPS.each do |name|
      line = begin
        { step: name, result: send(name) }
      rescue StandardError => e
        { step: name, failed: e.full_message(highlight: false) }
      end
      puts line.to_json
    end
  end

  private

  def boot
    @visitor = create_client('Origin' => @origin)
    body = Guidepost::BootRequest.new(app_id: env('APP_ID'), origin: @origin, path: '/')
    @booted = Guidepost::BootApi.new(@visitor).boot_guide(body)
    check(@booted.jwt, @booted)
    @visitor = create_client('Origin' => @origin, 'Authorization' => "Bearer #{@booted.jwt}")
    'yes'
  end

  def consent
    body = Guidepost::ConsentRequest.new(
      visitor_id: @booted.visitor_id,
      url: "#{@origin}/",
      copy_version: @booted.config.consent.copy.version,
      at: (Time.now.to_f * 1000).to_i,
      decision: Guidepost::VisitorDecisionInput::ACCEPTED
    )
    reply = Guidepost::ConsentApi.new(@visitor).record_consent(body)
    check(reply.ok && reply.recorded, reply)
    'yes'
  end

  # Reads an answer to its end and checks whether its events arrive one by one.
  def stream
    text = +''
    length = -1
    citations = 0
    times = []
    each_event do |event|
      times << Process.clock_gettime(Process::CLOCK_MONOTONIC)
      case event
      when Guidepost::TextDeltaEvent then text << event.delta
      when Guidepost::MessageEndEvent then length = event.text_length
      when Guidepost::CitationEvent
        check(text.include?(event.quote), event)
        citations += 1
      end
    end
    check(citations.positive? && length == text.length, text)
    times.last - times.first > 0.05 ? 'typed, incremental' : 'typed, buffered'
  end

  # The generated function reads the whole answer as one event, so stream the request that its client builds.
  def each_event
    body = Guidepost::ChatRequest.new(
      message: 'How do I reset my password?',
      dom_digest: 'main > h1 Account',
      conversation_id: @conversation,
      turn_idx: 0,
      url: "#{@origin}/account"
    )
    request = @visitor.build_request(:POST, '/chat', body: @visitor.object_to_http_body(body))
    rest = +''.b
    request.on_body do |chunk|
      rest << chunk
      while (line = rest.slice!(/\A.*\n/))
        # An unknown type yields nil.
        yield Guidepost::ChatEvent.build(JSON.parse(line[6..], symbolize_names: true)) if line.start_with?('data: ')
      end
    end
    response = request.run
    check(response.code == 200, response.code)
  end

  def translation
    member = create_client('Origin' => @url)
    credentials = Guidepost::SignInRequest.new(email: env('EMAIL'), password: env('PASSWORD'))
    session, _status, headers = Guidepost::SessionApi.new(member).sign_in_with_http_info(credentials)
    check(session.memberships.length == 1, session)
    @member = create_client('Origin' => @url, 'Cookie' => headers['Set-Cookie'].first.split(';').first)
    translate(publish_article)
    'yes'
  end

  def publish_article
    articles = Guidepost::ArticlesApi.new(@member)
    new = Guidepost::NewArticle.new(
      title: 'Gift wrapping', answer: 'Choose gift wrapping at the checkout. It costs two euros.'
    )
    article = articles.create_article(@tenant, new)
    base = Guidepost::ArticleBase.new(base_revision: article.revision)
    published = articles.publish_article(@tenant, article.id, base)
    check(published.status.start_with?('published'), published)
    article
  end

  def translate(article)
    translations = Guidepost::TranslationsApi.new(@member)
    german = Guidepost::NewTranslation.new(
      locale: 'de', title: 'Geschenkverpackung', answer: 'Wählen Sie die Geschenkverpackung an der Kasse.'
    )
    draft = translations.create_translation(@tenant, article.id, german)
    at = [@tenant, article.id, draft.id]
    seen = ->(translation) { Guidepost::TranslationBase.new(base_revision: translation.revision) }
    submitted = translations.submit_translation(*at, seen[draft])
    check(submitted.status.start_with?('in_review'), submitted)
    verdict = Guidepost::TranslationVerdict.new(
      base_revision: submitted.revision, decision: Guidepost::ReviewDecisionInput::APPROVE
    )
    approved = translations.review_translation(*at, verdict)
    check(approved.status.start_with?('approved'), approved)
    live = translations.publish_translation(*at, seen[approved])
    check(live.live&.revision == live.revision, live)
  end

  def export
    page = read_page(env('API_KEY'))
    check(!page.has_more && page.data.any? { |row| row.id == @conversation }, page)
    'yes'
  end

  def errors
    articles = Guidepost::ArticlesApi.new(@member)
    expect_error(404, 'article/not_found') { articles.read_article(@tenant, UNKNOWN_ARTICLE) }
    expect_error(401, 'export/unauthorized') { read_page("pk_live_#{'a' * 47}") }
    'typed'
  end

  def read_page(key)
    Guidepost::ExportApi.new(create_client('X-Api-Key' => key)).export_conversations(limit: 10)
  end

  # The generated exception carries the body as text; the generated type parses it.
  def expect_error(status, code)
    yield
  rescue Guidepost::ApiError => e
    body = Guidepost::ErrorBody.build_from_hash(JSON.parse(e.response_body, symbolize_names: true))
    check(e.code == status && body.error.start_with?(code), e.message)
  else
    raise 'expected an error'
  end

  def create_client(headers)
    at = URI(@url)
    configuration = Guidepost::Configuration.new do |c|
      c.scheme = at.scheme
      c.host = "#{at.host}:#{at.port}"
      c.server_index = nil
    end
    # The generated method does not run, because the generator does not support API keys in cookies.
    configuration.define_singleton_method(:auth_settings) { {} }
    client = Guidepost::ApiClient.new(configuration)
    client.default_headers.merge!(headers)
    client
  end

  def env(name)
    ENV.fetch("GUIDEPOST_#{name}")
  end

  def check(condition, message)
    raise message.to_s unless condition
  end
end

Scenario.new.run

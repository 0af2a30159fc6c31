# The part of Homebrew's language that the formula uses; anything else is an error. packaging/checks/formula runs it.
#   ruby packaging/checks/formula.rb FORMULA PROGRAM FOLDER
require "fileutils"
require "open3"
require "pathname"

# In Homebrew, writing a file creates its directory, and does not replace a file.
class Pathname
  def write(content)
    raise "#{self} exists" if exist?

    dirname.mkpath
    File.binwrite(self, content)
  end
end

module Utils
  def self.safe_popen_read(*command)
    output, status = Open3.capture2(*command.map(&:to_s), binmode: true)
    raise "#{command.join(" ")}: #{status}" unless status.success?

    output
  end
end

class Formula
  FIELDS = %i[desc homepage url sha256 license depends_on].freeze

  class << self
    attr_reader :fields, :test_block

    FIELDS.each do |field|
      define_method(field) { |value| (@fields ||= {})[field] = value }
    end

    def test(&block)
      @test_block = block
    end
  end

  attr_reader :prefix, :testpath

  def initialize(program, folder)
    @program = Pathname(program)
    @prefix = Pathname(folder)/"prefix"
    @testpath = Pathname(folder)/"test"
    testpath.mkpath
  end

  def bin
    prefix/"bin"
  end

  def man1
    prefix/"share/man/man1"
  end

  def std_cargo_args
    ["--jobs", "1", "--locked", "--root=#{prefix}", "--path=."]
  end

  def system(*command)
    raise "unexpected command: #{command.join(" ")}" unless command == ["cargo", "install", *std_cargo_args]

    bin.mkpath
    FileUtils.install(@program, bin/"duke", mode: 0o755)
  end

  def generate_completions_from_executable(*command)
    files = { bash: "etc/bash_completion.d/duke", zsh: "share/zsh/site-functions/_duke",
              fish: "share/fish/vendor_completions.d/duke.fish" }
    files.each { |shell, file| (prefix/file).write Utils.safe_popen_read(*command, shell.to_s) }
  end

  def shell_output(command)
    Utils.safe_popen_read("/bin/sh", "-c", command)
  end

  def assert_match(expected, text)
    raise "#{expected} is not in: #{text[0, 200]}" unless text.match?(expected)
  end
end

formula, program, folder = ARGV
load formula
duke = Duke.new(program, folder)
Dir.chdir(duke.testpath) do
  duke.install
  duke.instance_eval(&Duke.test_block)
end

missing = Formula::FIELDS - Duke.fields.keys
raise "the formula lacks #{missing.join(", ")}" unless missing.empty?

# What Homebrew's audit asks of a description.
desc = Duke.fields[:desc]
raise "desc is too long" if "duke: #{desc}".length > 80
raise "desc begins with an article or the name, or ends with a full stop" if desc.match?(/\A(an?|the|duke)\b|\.\z/i)

generated = { "share/man/man1/duke.1" => "man/duke.1", "etc/bash_completion.d/duke" => "completions/duke.bash",
              "share/zsh/site-functions/_duke" => "completions/_duke",
              "share/fish/vendor_completions.d/duke.fish" => "completions/duke.fish" }
generated.each do |installed, expected|
  expected = Pathname(__dir__).parent/expected
  raise "#{installed} differs from #{expected}" unless FileUtils.identical?(duke.prefix/installed, expected)
end
